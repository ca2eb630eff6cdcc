"""A table of a report: columns by name. NumPy, pandas and Arrow take its memory as it is."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Sequence, Tuple

from . import _core
from ._errors import Error

if TYPE_CHECKING:
    import numpy
    import pandas
    import pyarrow

_shown_rows = 10


class Table(Mapping[str, Any]):
    """Columns by name: `table["ttft_s"]` is a NumPy array (without NumPy: a memoryview of numbers, a list of texts).
    `to_pandas()` and `to_arrow()` are frames over the same memory; texts are categories there."""

    def __init__(self, columns: Sequence[Tuple[str, Any, Any]]) -> None:
        self._columns: Dict[str, Tuple[Any, Any]] = {name: (buffer, texts) for name, buffer, texts in columns}

    @classmethod
    def read(cls, file: str) -> "Table":
        """A CSV file of a report."""
        try:
            return cls(_core.read_csv(file))
        except ValueError as error:
            raise Error(str(error)) from None

    @property
    def columns(self) -> List[str]:
        """Names of the columns; docs/figures.md says what each is."""
        return list(self._columns)

    @property
    def rows(self) -> int:
        return len(next(iter(self._columns.values()))[0])

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns:
            raise KeyError(f"there is no column {name!r}; there are: {', '.join(self._columns)}")
        buffer, texts = self._columns[name]
        try:
            import numpy
        except ImportError:
            return buffer if texts is None else [texts[code] for code in buffer]
        array = numpy.asarray(buffer)
        return array if texts is None else numpy.asarray(texts, dtype=object)[array]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> "pandas.DataFrame":
        """A pandas frame; numbers share the table's memory."""
        frames, numpy = (needed(package, "to_pandas()") for package in ("pandas", "numpy"))
        data: Dict[str, Any] = {}
        for name, (buffer, texts) in self._columns.items():
            codes = numpy.asarray(buffer)
            data[name] = codes if texts is None else frames.Categorical.from_codes(codes.view("int32"), texts)
        frame: pandas.DataFrame = frames.DataFrame(data, copy=False)
        return frame

    def to_arrow(self) -> "pyarrow.Table":
        """An Arrow table; numbers share this one's memory. An empty cell is NaN."""
        arrow = needed("pyarrow", "to_arrow()")
        columns = []
        for buffer, texts in self._columns.values():
            kind = {"q": arrow.int64(), "d": arrow.float64(), "I": arrow.uint32()}[memoryview(buffer).format]
            data = arrow.Array.from_buffers(kind, len(buffer), [None, arrow.py_buffer(buffer)])
            columns.append(data if texts is None else arrow.DictionaryArray.from_arrays(data, arrow.array(texts, arrow.string())))
        return arrow.table(columns, names=list(self._columns))

    def row(self, number: int) -> Dict[str, Any]:
        """One row, by column."""
        return {name: buffer[number] if texts is None else texts[buffer[number]]
                for name, (buffer, texts) in self._columns.items()}

    def __repr__(self) -> str:
        return f"<Table of {self.rows} rows: {', '.join(self._columns)}>"

    def _repr_html_(self) -> str:
        lines = ["<tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in self._columns) + "</tr>"]
        for number in range(min(self.rows, _shown_rows)):
            cells = (f"{value:.6g}" if isinstance(value, float) else html.escape(str(value))
                     for value in self.row(number).values())
            lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        left = self.rows - _shown_rows
        more = f"<p>and {left:,} more rows</p>" if left > 0 else ""
        return f"<table>{''.join(lines)}</table>{more}"


def needed(package: str, what: str) -> Any:
    """An optional package, or one clear message."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise Error(f"{what} needs {package.split('.')[0]}, which is not installed ({error}); "
                    f"pip install {package.split('.')[0]}") from None
