"""Problems and scores for any program: no server, no tokenizer, no trainer."""
