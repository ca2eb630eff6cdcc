#include <fmt/format.h>

#include <vector>

#include "models/base/escaped.h"
#include "sim/plan/emit/vllm.h"

namespace servecast {
namespace {

/// A name that Kubernetes takes: lower case letters, digits and '-' (RFC 1123).
std::string label(const std::string& name) {
  std::string out = "servecast-";
  for (const unsigned char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    out += static_cast<char>(upper ? c - 'A' + 'a' : plain ? c : '-');
  }
  return out + (out.ends_with('-') ? "pool" : "");
}

std::string remarks_text(const VllmPool& pool) {
  std::string text;
  for (const std::string& remark : pool.remarks) text += comment_line("- " + remark);
  return text;
}

std::string deployment(const VllmPool& pool) {
  std::string args;
  args += "            - " + yaml_text("--model=" + pool.model) + "\n";
  for (const std::string& argument : pool.arguments) args += "            - " + yaml_text(argument) + "\n";
  const std::string side_channel =
      "          env:\n"
      "            - name: VLLM_NIXL_SIDE_CHANNEL_HOST\n"
      "              valueFrom: {fieldRef: {fieldPath: status.podIP}}\n";
  return fmt::format(
      "apiVersion: apps/v1\n"
      "kind: Deployment\n"
      "metadata: {{name: {name}}}\n"
      "spec:\n"
      "  replicas: {replicas}\n"
      "  selector: {{matchLabels: {{app: {name}}}}}\n"
      "  template:\n"
      "    metadata: {{labels: {{app: {name}}}}}\n"
      "    spec:\n"
      "      {node_selector}"
      "      containers:\n"
      "        - name: vllm\n"
      "          image: {image}\n"
      "          args:\n"
      "{args}{env}"
      "          ports: [{{containerPort: 8000}}]\n"
      "          readinessProbe: {{httpGet: {{path: /health, port: 8000}}, periodSeconds: 10, failureThreshold: "
      "180}}\n"
      "          resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}\n"
      "          volumeMounts: [{{name: shm, mountPath: /dev/shm}}]\n"
      "      volumes: [{{name: shm, emptyDir: {{medium: Memory}}}}]\n",
      fmt::arg("name", label(pool.name)), fmt::arg("replicas", pool.replicas),
      fmt::arg("node_selector", comment_line("nodeSelector: nodes with " + pool.gpu +
                                             ", as your cluster labels them (nvidia.com/gpu.product)")),
      fmt::arg("image", yaml_text(pool.image)), fmt::arg("args", args),
      fmt::arg("env", pool.hands_over_kv ? side_channel : ""), fmt::arg("gpus", pool.gpus));
}

std::string service(const VllmPool& pool) {
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Service\n"
      "metadata: {{name: {name}}}\n"
      "spec:\n"
      "  selector: {{app: {name}}}\n"
      "  ports: [{{port: 8000, targetPort: 8000}}]\n",
      fmt::arg("name", label(pool.name)));
}

}  // namespace

std::string vllm_commands(const std::vector<VllmPool>& pools) {
  std::string text = "#!/bin/sh\n";
  for (const VllmPool& pool : pools) {
    text += "\n" + comment_line(fmt::format("Pool {}: run this on each of {} x {} {}.", pool.name, pool.replicas,
                                            pool.gpus, pool.gpu));
    text += remarks_text(pool);
    text += "vllm serve " + shell_word(pool.model);
    for (const std::string& argument : pool.arguments)
      text += (argument.starts_with("--") ? " \\\n  " : " ") + shell_word(argument);
    text += "\n";
  }
  return text;
}

std::string kubernetes_manifest(const std::vector<VllmPool>& pools) {
  std::string text;
  for (const VllmPool& pool : pools) {
    if (!text.empty()) text += "---\n";
    text += comment_line("Pool " + pool.name) + remarks_text(pool) + deployment(pool) + "---\n" + service(pool);
  }
  return text;
}

}  // namespace servecast
