"""The command `view`: what a run wrote, as one HTML page.

cli.py           the command
rows.py          what is shown of one line: a group, or the metrics of a step
collection.py    groups, a sample of them with their texts in compressed chunks
curves.py        metrics as columns of numbers
misplaced.py     finds right answers that are not in the required format
folder.py        all of it together: reads a run, and makes the index of its page
page.py          what every page begins with, and the page of a run
verdicts.py      what each kind of verdict means

page.html        the body of the page of a run
base.css         the style that all pages have
view.css         the style of this page alone
data.js          unpacks the data, and builds elements
groups.js        the groups as objects
filters.js       the filters, kept in the address, and the search
charts.js        curves
trend.js         the curve of one task, and what changed at the same tasks and levels
tasks.js         a small chart for each task
summary.js       a table with a line for each task
answers.js       the answers that come up most often
table.js         the list of groups, of which only rows in sight are drawn
detail.js        one group with its rollouts
main.js          starts all of it; keyboard, and reloading of a page that is written again
"""
