// Gateway "image_input": some requests bring images, which an encoder turns into tokens of the prompt.
//
// The encoder is a stage of its own with a line in front of it (workers), so a burst of photos delays their captions
// before the model has seen them. Images stand behind the system prompt: the prompt's beginning is the same as
// others' up to there. The lengths are those of ServeGen's multimodal traffic (Alibaba Model Studio): half of the
// requests' images have at most 540 tokens, nine of ten at most 1,224, none more than about 1,280.
#include <cmath>

#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class ImageInput final : public GatewayPolicy {
 public:
  struct Settings {
    double with_image_fraction = 1;
    std::int64_t images = 1;
    double median_tokens = 540;
    double sigma = 0.64;
    std::int64_t most_tokens = 1280;
    std::int64_t keep_tokens = 0;
    double encoder_tokens_per_s = 20'000;
    ServiceSettings encoder{.median_s = 0.010, .workers = 1};
    void fields(Fields& f) {
      f.field("with_image_fraction", with_image_fraction, "share of requests that bring images", fraction);
      f.field("images", images, "how many each of these brings", at_least_one);
      f.field("median_tokens", median_tokens, "half of the images have fewer", positive);
      f.field("sigma", sigma, "standard deviation of the logarithm", {.min = 0, .max = 5});
      f.field("most_tokens", most_tokens, "larger images are scaled down to this", at_least_one);
      f.field("keep_tokens", keep_tokens, "first tokens, before the images: the system prompt");
      f.field("encoder_tokens_per_s", encoder_tokens_per_s, "how fast the encoder works", positive);
      f.group("encoder", encoder, "beside that time, of each request's images together");
    }
  };
  explicit ImageInput(const Settings& settings) : settings_(settings), service_(settings.encoder) {}

  StageAction arrive(const StageInput& input) override {
    if (input.rng.uniform() >= settings_.with_image_fraction) return {};
    std::int64_t tokens = 0;
    for (std::int64_t i = 0; i < settings_.images; ++i) tokens += image_tokens(input.rng);
    images_ += settings_.images;
    tokens_ += tokens;
    const std::int64_t prompt = input.outgoing.request.prompt_tokens;
    input.outgoing.rewrite_prompt(prompt + tokens, std::min(settings_.keep_tokens, prompt));
    const double encode_s = static_cast<double>(tokens) / settings_.encoder_tokens_per_s;
    return {.delay_s = service_.call_s(input.now_s, input.rng, encode_s), .usd = service_.usd()};
  }
  std::vector<PolicyCount> counts() const override {
    return {{"images", static_cast<double>(images_)}, {"image_tokens", static_cast<double>(tokens_)}};
  }

 private:
  std::int64_t image_tokens(Rng& rng) const {
    const double drawn = settings_.median_tokens * rng.lognormal(0, settings_.sigma);
    const double most = static_cast<double>(settings_.most_tokens);
    return static_cast<std::int64_t>(std::clamp(std::round(drawn), 1.0, most));
  }

  Settings settings_;
  GatewayService service_;
  std::int64_t images_ = 0;
  std::int64_t tokens_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<ImageInput>("image_input", "images become tokens of the prompt, behind an encoder");

}  // namespace
}  // namespace servecast
