#pragma once

struct CUstream_st;

namespace servecast {

/// cudaStream_t, without CUDA's headers. Launchers return at once; a failed launch is cudaGetLastError()'s to tell.
using Stream = CUstream_st*;

}  // namespace servecast
