#pragma once
#include <nanobind/nanobind.h>

namespace servecast::python {

namespace nb = nanobind;

/// read_csv(path): the columns of one of our CSV files, in order, as (name, buffer, texts). Numbers: a buffer of
/// int64 or, where a cell is empty or no integer, of float64 with NaN for empty; `texts` is None. Texts: a buffer of
/// uint32 codes and the texts that they stand for. Buffers are memoryviews of what was parsed: NumPy, pandas and
/// Arrow take them as they are.
void bind_csv(nb::module_& m);

}  // namespace servecast::python
