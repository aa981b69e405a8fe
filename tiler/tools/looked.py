"""The class of windows by its name of version 0.2, which tools of other packages import to annotate them."""

from tilescope.tiler.tools.question_windows import QuestionWindows

Looked = QuestionWindows
