#pragma once

namespace servecast {

/// What a decode step spends on finding out where its tokens may leave.
struct ExitTerms {
  double draft_layers = 0;  // layer times, for drafting the few tokens that are looked for
  double predictors = 0;    // asked at most in a step; never more than layers are run
  double predictor_s = 0;   // for each
  double checks = 0;        // LM heads beyond the one that gives the token
};

}  // namespace servecast
