# Written by python/make_stubs.py from `servecast schema --of figures`; do not edit.
from typing import Any

class Figures(dict[str, Any]):
    def at(self, path: str) -> Any: ...
    def flat(self) -> dict[str, Any]: ...

class Spread(Figures):
    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    max: float

class Account(Figures):
    currency: str  # of all amounts in here
    per_usd: float  # how much a dollar buys
    items_: list[AccountItems]  # what is paid for; the last one is the sum
    classes: list[AccountClasses]  # the sum, shared out by seconds in service (E2E less queueing); empty unless there are several classes

class AccountClasses(Figures):
    item: str  # what is paid for (GPUs of a pool, spare GPUs, nodes, egress of a group, a stage of the gateway, an API, all), or whose requests
    gpu_hours: float  # GPUs times hours that they were held
    kwh: float  # energy at the building's meter [kWh]
    cost: float  # in the account's currency, electricity included where it is paid for
    cost_per_request: float  # by completed requests
    co2_g: float  # grams of CO2 equivalent
    co2_g_per_request: float  # by completed requests

class AccountItems(Figures):
    item: str  # what is paid for (GPUs of a pool, spare GPUs, nodes, egress of a group, a stage of the gateway, an API, all), or whose requests
    gpu_hours: float  # GPUs times hours that they were held
    kwh: float  # energy at the building's meter [kWh]
    cost: float  # in the account's currency, electricity included where it is paid for
    cost_per_request: float  # by completed requests
    co2_g: float  # grams of CO2 equivalent
    co2_g_per_request: float  # by completed requests

class Adapters(Figures):
    pool: str  # pool that serves the adapters
    adapter_slots: float  # adapters that one replica holds
    hits: float  # requests whose adapter was on the GPUs when they were admitted
    loads: float  # requests for which it was loaded
    hit_fraction: float  # hits by both [share, 0 to 1]
    stall_s: float  # time in which steps waited for loads, summed over replicas [s]

class AddedFiles(Figures):
    file: str  # from the root of the file system
    sha256: str  # of what was in it
    brings: str  # what the scenario can name for it, e.g. router 'nearest' or gpu 'our_gpu'

class AnswerLosses(Figures):
    pool: str  # pool whose model is changed
    change: str  # weights of another type than published; or how the model was made from another one
    lost_points: float  # of a benchmark's score in percent; null: not published for this type
    least_points: float  # the same by the best result published
    most_points: float  # the same by the worst one
    extrapolated: bool  # published for another family of models, or for less than half or more than twice the parameters
    source: str  # where that was published

class AnsweredBy(Figures):
    target: str  # pool, API tier, or the gateway's memory
    llm_calls: float  # that were sent there
    answers: float  # that clients got from there
    answers_fraction: float  # share of all answers [share, 0 to 1]

class Bill(Figures):
    item: str  # what is paid for: GPUs, a stage, an API, all
    usd: float  # in all [USD]
    usd_per_request: float  # by completed requests [USD]

class BrokenParts(Figures):
    part: str  # kind of part
    parts: float  # how many there are
    failures: float  # how often one of them failed
    available_fraction: float  # share of their time in which they were whole [share, 0 to 1]

class ChangedHardware(Figures):
    setting: str  # of the scenario, that changes it
    from_: str  # what the file says
    to: str  # what the scenario says

class Classes(Figures):
    name: str  # class
    requests: ClassesRequests  # requests of this class
    output_tokens_per_s: float  # output tokens of its completed requests, by the time from its first arrival until the last of them is complete [tokens/s]
    ttft_s: Spread  # time to first token as the client sees it: `first_token_s` − `arrival_s`, the engine's request path included, of requests that got one [s]
    tpot_s: Spread  # time per output token: (`finish_s` − `first_token_s`) / (`output_tokens` − 1), of completed requests with two or more [s]
    e2e_s: Spread  # `finish_s` − `arrival_s`, of completed requests [s]
    queue_s: Spread  # `scheduled_s` − `arrival_s`, of requests that were in a batch [s]
    attained_fraction: float  # share of its requests that kept every bound that it is promised [share, 0 to 1]
    promised: ClassesPromised  # to this class

class ClassesPromised(Figures):
    ttft_s: float  # bound on the time to first token [s]
    tpot_s: float  # bound on the time per output token [s]
    e2e_s: float  # bound on the whole time [s]
    target_fraction: float  # share of its requests that shall keep all bounds [share, 0 to 1]

class ClassesRequests(Figures):
    arrived: float  # all requests: those below add up to it
    completed: float  # got all their output tokens
    rejected: float  # no replica could ever hold them, or its batcher never starts so long a prompt
    shed: float  # turned away for the load (HTTP 429)
    timed_out: float  # given up by their clients
    lost: float  # their clients got an error: a replica failed that had them, with `in_flight: lost` or after `max_retries`
    unfinished: float  # waiting or running at `until_s`, or where parts break for ever; a run that leaves any otherwise ends with an error

class Copies(Figures):
    kind: str  # of transfer, e.g. expert_load, kv_fetch, weight_load, swap
    basis: str  # measured: timed copies of such GPUs; published: figures that others state of them; derived: those of another GPU, scaled; data sheet: the rates of the GPU's file, and of the network between nodes
    copies: float  # that began
    bytes: float  # that they moved; of slow copies what they take of their links [bytes]

class Cost(Figures):
    usd_per_hour: float  # price of all GPUs that are paid for, used or not, and of what sites send each other [USD/h]
    usd_total: float  # the same for `duration_s` [USD]
    usd_per_request: float  # total by completed requests [USD]
    usd_per_million_output_tokens: float  # total by output tokens [USD]

class Dispatch(Figures):
    time_s: Spread  # arrival, or start as a job, until the first LLM call is with its target [s]
    jitter_s: float  # its p99 less its p50 [s]

class EarlyExits(Figures):
    pool: str  # pool whose tokens leave early
    model_layers: float  # layers of its model
    layers_per_token: float  # after which a token leaves, in the mean
    layers_per_step: float  # that a decode step runs, in the mean: to its deepest exit
    lost_points: float  # of a benchmark's score in percent, as published; null: not published
    accuracy_source: str  # where that was published

class Egress(Figures):
    group: str  # of nodes, that they left
    bytes: float  # sent over links to other sites: KV that was handed over, migrated or copied [bytes]
    usd: float  # at `egress_usd_per_billion_bytes` of the group; part of `cost` [USD]

class Energy(Figures):
    j_total: float  # GPUs, idle time included, and what their nodes draw beside them [J]
    j_per_output_token: float  # total by output tokens [J]

class ExpertModels(Figures):
    pool: str  # pool whose slots the model shares
    model: str  # as the scenario calls it
    experts: float  # of each of its layers
    own_experts: float  # of these, fine-tuned, so that no other model has them
    hit_fraction: float  # share of the experts that its tokens asked for, once per step and layer, that were in GPU memory without a prefetch [share, 0 to 1]
    untuned_gate_fraction: float  # share of the gates' weight of its tuned experts that went to those that they were tuned from [share, 0 to 1]
    lost_points: float  # that pruning and untuned stand-ins cost of a benchmark's score in percent; null: what tuning gained is not stated
    most_lost_points: float  # the same at most
    extrapolated: bool  # outside what was published
    source: str  # what the loss rests on

class ExpertOffload(Figures):
    pool: str  # pool whose experts are partly elsewhere
    cache_fraction: float  # share of a layer's experts that GPU memory holds [share, 0 to 1]
    hit_fraction: float  # share of the experts asked for, once per step and layer, that were in GPU memory without a prefetch [share, 0 to 1]
    prefetch_hit_fraction: float  # that a prefetch had named [share, 0 to 1]
    loaded_bytes: float  # of experts moved to the GPUs [bytes]
    disk_bytes: float  # of these, from disk [bytes]
    wasted_load_fraction: float  # share of the loads that were wrong guesses [share, 0 to 1]
    stall_fraction: float  # share of step time lost to loads that came late [share, 0 to 1]
    substituted_fraction: float  # share of the tokens' choices that another expert stood in for [share, 0 to 1]
    host_fraction: float  # that the host computed [share, 0 to 1]
    left_out_fraction: float  # that were left out [share, 0 to 1]
    substituted_gate_fraction: float  # share of the gates' weight that went to stand-ins, mean over layers [share, 0 to 1]
    unlike_gate_fraction: float  # the same, each weighted with how unlike the stand-in is: 1 less its co-activation over that of the likest [share, 0 to 1]
    left_out_gate_fraction: float  # share of the gates' weight that was left out, mean over layers [share, 0 to 1]
    worst_layer_gate_fraction: float  # share of the gates' weight replaced or left out in the layer where that is most [share, 0 to 1]
    quality_lost_fraction: float  # points of accuracy / 100 that this share replaced and left out costs, fitted to published tables [share, 0 to 1]
    quality_lost_least_fraction: float  # the same where published points are lowest [share, 0 to 1]
    quality_lost_most_fraction: float  # the same where published points are highest [share, 0 to 1]
    quality_extrapolated: bool  # outside what was published
    quality_source: str  # where that figure comes from: another model's, as a rule
    shared_weight_bytes: float  # weights that models which share the slots have in common, each further time that they would be kept without sharing [bytes]

class Failures(Figures):
    pool: str  # pool
    crashes: float  # times that one of its replicas stopped
    available_fraction: float  # share of replica time in which they served [share, 0 to 1]
    lost: float  # requests (behind a gateway: LLM calls) that were lost with its replicas
    retried: float  # times that a request started over on another replica
    resumed: float  # times that one went on there
    lost_tokens: float  # of prompts and outputs, computed in vain [tokens]
    reprefill_tokens: float  # of these, in prompts that are computed again [tokens]
    reload_bytes: float  # of weights, loaded again [bytes]
    stand_ins: float  # times that GPUs of a spare stood in
    slo_recovery_s: Spread  # from a crash until ten seconds begin in which the target share of requests that arrive keeps the SLO (in whole seconds of the run; 0: at once) [s]
    not_recovered: float  # crashes after which it never did

class FirstUse(Figures):
    wait_s: float  # steps waited for kernels that nothing in their process had used before, summed over replicas [s]
    requests: float  # whose first token came later for that
    ttft_s: Spread  # time to first token of the others: once everything has been used [s]

class Gateway(Figures):
    policy: str  # stage
    requests: float  # that it was asked about
    answered: float  # of these, answered by itself
    follow_up_calls: float  # LLM calls that it asked for when there was an answer
    delay_s: Spread  # time that it added, verdicts on answers included [s]
    usd: float  # what its calls cost [USD]
    prompt_tokens_in_mean: float  # prompt tokens of a request that came [tokens]
    prompt_tokens_out_mean: float  # of one that went on [tokens]
    counts: list[GatewayCounts]  # what only this kind of stage counts

class GatewayCounts(Figures):
    name: str  # what was counted
    value: float  # how many

class GatewayStages(Figures):
    policy: str  # stage
    requests: float  # that it was asked about
    answered: float  # of these, answered by itself
    follow_up_calls: float  # LLM calls that it asked for when there was an answer
    delay_s: Spread  # time that it added, verdicts on answers included [s]
    usd: float  # what its calls cost [USD]
    prompt_tokens_in_mean: float  # prompt tokens of a request that came [tokens]
    prompt_tokens_out_mean: float  # of one that went on [tokens]
    counts: list[GatewayStagesCounts]  # what only this kind of stage counts

class GatewayStagesCounts(Figures):
    name: str  # what was counted
    value: float  # how many

class Graph(Figures):
    requests: float  # that were worked out to their end
    makespan_s: Spread  # from the first LLM call's start to the last one's end [s]
    node_time_s: Spread  # all LLM calls and their tools, as if one came after the other [s]
    prompt_tokens_mean: float  # of all LLM calls of a request [tokens]
    output_tokens_mean: float  # likewise [tokens]
    plain_prompt_tokens_mean: float  # of the request in one LLM call [tokens]
    plain_output_tokens_mean: float  # likewise [tokens]

class GraphNodes(Figures):
    node: str  # node
    llm_calls: float  # of requests that were worked out to their end
    ttft_s: Spread  # from the sending of an LLM call to its first token [s]
    e2e_s: Spread  # to its last [s]
    prompt_tokens_mean: float  # of an LLM call [tokens]
    cached_tokens_mean: float  # of these, found in the KV cache [tokens]
    output_tokens_mean: float  # of an LLM call [tokens]
    critical_fraction: float  # share of requests that waited for it: it lay on their critical path [share, 0 to 1]
    critical_s_mean: float  # how long a request waits for it, its tools included; these add up to the mean makespan [s]

class HandOvers(Figures):
    pool: str  # pool that computed the prompts
    requests: float  # requests that went on elsewhere
    bytes: float  # of their KV [bytes]
    hand_over_s: Spread  # from the end of the prompt to the KV's arrival, waiting for room included [s]

class Jobs(Figures):
    class_: str  # class of requests; empty: all
    jobs: float  # that came
    refused: float  # of these, since the queue was full
    started: float  # that had workers
    dropped: float  # cancelled at their deadline
    acknowledged_s: Spread  # arrival until the client knows that its job was taken [s]
    waited_s: Spread  # for workers, of those that had some [s]
    due: float  # jobs of which it is known whether they kept their deadline
    kept_fraction: float  # share of these that did [share, 0 to 1]
    workers_fraction: float  # share of the workers' time that they had [share, 0 to 1]

class Migrations(Figures):
    pool: str  # pool within which they moved
    moved: float  # sequences that moved to another replica while they decoded; one may do so several times
    aborted: float  # that did not: finished, preempted or without room while they were copied
    bytes: float  # of KV, for those that moved [bytes]
    pause_s: Spread  # from the last token on one replica until the next can be computed on the other [s]

class Perceived(Figures):
    class_: str  # class of requests; empty: all
    first_line_s: Spread  # arrival to the end of the first field, where answers come line by line [s]
    first_object_s: Spread  # the same, where an answer is one JSON object [s]
    stall_s: Spread  # time in which the reader waits for more text [s]

class Pools(Figures):
    name: str  # pool, as in the scenario
    llm: str  # its model
    gpu: str  # its kind of GPU
    replicas: float  # copies of the model
    gpus: float  # GPUs of all replicas
    busy_fraction: float  # share of replica time with a step running; one stage of p counts 1/p. With an autoscaler this and KV use are of rented time [share, 0 to 1]
    kv_used_fraction_mean: float  # used KV blocks by all blocks, mean over time and replicas [share, 0 to 1]
    kv_used_fraction_max: float  # the same in the fullest replica at its fullest [share, 0 to 1]
    sequences_used_fraction: float  # running sequences by the most that may run, in the busiest tenth of the time [share, 0 to 1]
    tokenizer_busy_fraction: float  # share of their time in which its tokenisers are busy; near 1 prompts wait for them, and not for the GPUs [share, 0 to 1]
    front_end_busy_fraction: float  # share of replica time in which its front end's event loop sends pieces of answers; near 1 it, and not the GPUs, says how fast they come [share, 0 to 1]
    preemptions: float  # times that a sequence lost its KV blocks and had to be computed again
    kv_tiers: list[PoolsKvTiers]  # where KV was found, tier by tier; left out without tiers
    energy_j: float  # of its GPUs, idle time included [J]
    itl_s: Spread  # gap between two output tokens of a request [s]

class PoolsKvTiers(Figures):
    tier: str  # `gpu`, the GPUs' own memory, comes first; then the kinds of tiers below
    hit_tokens: float  # prompt tokens found here instead of computed [tokens]
    hit_fraction: float  # the same as a share of all prompt tokens computed or found [share, 0 to 1]
    fetched_bytes: float  # moved from here to the GPUs [bytes]
    written_bytes: float  # taken in [bytes]
    evicted_bytes: float  # that left for others or grew too old [bytes]

class Quality(Figures):
    class_: str  # class of requests; empty: all
    requests: float  # completed
    scored: float  # of these, with an expected score
    score: float  # mean expected score of these, 0 to 1

class Requests(Figures):
    arrived: float  # all requests: those below add up to it
    completed: float  # got all their output tokens
    rejected: float  # no replica could ever hold them, or its batcher never starts so long a prompt
    shed: float  # turned away for the load (HTTP 429)
    timed_out: float  # given up by their clients
    lost: float  # their clients got an error: a replica failed that had them, with `in_flight: lost` or after `max_retries`
    unfinished: float  # waiting or running at `until_s`, or where parts break for ever; a run that leaves any otherwise ends with an error

class RestsOn(Figures):
    pool: str  # pool this is about
    latency_model: str  # what says how long a step takes
    engine: str  # serving engine, and what its terms rest on
    fitted_range: str  # the range it was fitted on, in words
    extrapolated_fraction: float  # share of step time outside that range [share, 0 to 1]
    notes: str  # what else to know

class Scaling(Figures):
    pool: str  # pool
    autoscaler: str  # what decides how many of its replicas serve
    serving_mean: float  # replicas that served, mean over the run
    serving_max: float  # at most
    rented_mean: float  # replicas paid for, mean over the run: those that start, drain or wait, too
    gpu_hours: float  # paid for
    saved_fraction: float  # of what all its replicas would have cost all the time [share, 0 to 1]
    starts: float  # replicas that began to start, those of the warm reserve among them
    woken: float  # times that one came from the warm reserve
    stops: float  # times that one had done all and was switched off, or went to the reserve
    start_s: Spread  # from the decision until it served [s]
    cold_start: ScalingColdStart  # a start that is not from the warm reserve, phase by phase: means
    drain_s: Spread  # from the last request it took until it had done all [s]
    mirrored: float  # prompts computed to fill caches of new replicas

class ScalingColdStart(Figures):
    provision_s: float  # until there was a machine [s]
    image_s: float  # container image fetched and unpacked [s]
    weights_s: float  # weights, or a snapshot, fetched [s]
    imports_s: float  # process start and imports [s]
    gpu_load_s: float  # weights that had arrived loaded into GPU memory [s]
    engine_init_s: float  # graphs compiled and captured, memory measured [s]
    restore_s: float  # snapshot restored, in place of the three before [s]

class Slo(Figures):
    ttft_s: float  # bound on the time to first token, as the scenario states it [s]
    tpot_s: float  # bound on the time per output token, likewise [s]
    e2e_s: float  # bound on the whole time, likewise [s]
    target_fraction: float  # share of requests that shall keep all bounds [share, 0 to 1]
    attained_fraction: float  # share of all arrived requests that kept every stated bound [share, 0 to 1]
    goodput_requests_per_s: float  # requests that kept every stated bound, by `duration_s` [requests/s]
    ttft_attained_fraction: float  # share that kept this one bound [share, 0 to 1]
    tpot_attained_fraction: float  # share that kept this one bound [share, 0 to 1]
    e2e_attained_fraction: float  # share that kept this one bound [share, 0 to 1]
    classes_missed: float  # classes of which too few requests kept what their class is promised

class Speculations(Figures):
    pool: str  # pool whose sequences speculate
    drafted_tokens: float  # drafts checked [tokens]
    accepted_tokens: float  # of these, taken over [tokens]
    accepted_fraction: float  # the same as a share [share, 0 to 1]
    tokens_per_step: float  # output tokens that a sequence makes in a step with drafts, in the mean

class UnusedGpus(Figures):
    group: str  # of nodes that are rented whole (`cluster.rent`); empty where the cluster has one
    gpus: float  # that no pool uses, mean over the run
    usd_per_hour: float  # their rent, which is part of `cost` [USD/h]

class Summary(Figures):
    name: str  # scenario
    version: str  # of the program
    seed: float  # of the random streams
    workload: str  # what arrives, in words
    duration_s: float  # from the start of the run to the last thing that happened to a request: a token, a rejection, a failure, its client's leaving, its KV memory coming free [s]
    steps: float  # batches simulated
    saturated: bool  # the queue grows while requests arrive, or only clients that give up keep it from growing: latencies depend on how long requests arrive and how long clients wait
    near_saturation: bool  # saturated, or a pool runs more than 85 % of the sequences it may while requests keep coming that wait for no answers: a small error of the step time is a large one of the queue
    requests: Requests  # how requests ended
    ttft_s: Spread  # time to first token as the client sees it: `first_token_s` − `arrival_s`, the engine's request path included, of requests that got one [s]
    tpot_s: Spread  # time per output token: (`finish_s` − `first_token_s`) / (`output_tokens` − 1), of completed requests with two or more [s]
    itl_s: Spread  # gap between an output token and the one before it, over all tokens of all requests [s]
    e2e_s: Spread  # `finish_s` − `arrival_s`, of completed requests [s]
    queue_s: Spread  # `scheduled_s` − `arrival_s`, of requests that were in a batch [s]
    first_use: FirstUse  # where steps of new processes waited for kernels: latencies with that are above
    percentile_error_fraction: float  # how far percentiles of latencies per request may be off, relative to the exact ones; 0: exact [share, 0 to 1]
    requests_per_s: float  # completed requests by `duration_s` [requests/s]
    prompt_tokens_per_s: float  # prompt tokens of requests that got a first token, by `duration_s` (recomputed ones not counted again) [tokens/s]
    output_tokens_per_s: float  # output tokens of the answers that users got, by `duration_s`; what else a gateway had made (inner tasks of a graph, LLM calls that were given up) is in `series.csv` and `gateway` [tokens/s]
    slo: Slo  # what was promised and what was kept
    cost: Cost  # money for GPUs and for what sites send each other
    energy: Energy  # energy of the machines
    account: Account  # money, energy and carbon by what causes them, where the scenario keeps an `account`
    gateway: list[Gateway]  # one entry: all stages together; left out without a gateway
    gateway_stages: list[GatewayStages]  # stage by stage
    answered_by: list[AnsweredBy]  # targets that answered
    quality: list[Quality]  # expected scores, where the scenario has a table of them: of all, then class by class
    perceived: list[Perceived]  # what readers feel, where the scenario has readers: of all, then class by class
    bill: list[Bill]  # what is paid for what, with a gateway; `cost` stays that of the GPUs and of egress
    dispatch: list[Dispatch]  # one entry: how long the gateway takes to hand requests on
    graph: list[Graph]  # one entry: requests worked out in several LLM calls
    graph_nodes: list[GraphNodes]  # node by node, where requests are worked out in several LLM calls
    jobs: list[Jobs]  # requests that became jobs: all, then class by class where there are several
    pools: list[Pools]  # pool by pool
    unused_gpus: list[UnusedGpus]  # GPUs that no pool uses, of nodes that are rented whole
    egress: list[Egress]  # group by group, what it sent to other sites over links between groups, where that is paid for
    hand_overs: list[HandOvers]  # pool by pool, where another replica decodes than computed the prompt
    migrations: list[Migrations]  # pool by pool, where sequences move while they decode
    answer_losses: list[AnswerLosses]  # what narrower weights, pruning and distillation cost in answers; left out where models are as published
    expert_offload: list[ExpertOffload]  # pool by pool, where experts are partly outside GPU memory
    expert_models: list[ExpertModels]  # model by model, where several share a pool's slots for experts
    speculations: list[Speculations]  # pool by pool, where sequences speculate
    early_exits: list[EarlyExits]  # pool by pool, where tokens leave before the last layer
    adapters: list[Adapters]  # pool by pool, where requests name LoRA adapters
    scaling: list[Scaling]  # pool by pool, where an autoscaler has replicas come and go
    failures: list[Failures]  # pool by pool, where something can fail
    broken_parts: list[BrokenParts]  # kind by kind, where something can fail
    classes: list[Classes]  # class by class, where requests of several arrived
    rests_on: list[RestsOn]  # pool by pool, what the forecast rests on
    copies: list[Copies]  # by kind, what the times of copies between memories rest on; left out where none is made
    changed_hardware: list[ChangedHardware]  # figures of hardware that the scenario states otherwise than its files
    added_files: list[AddedFiles]  # plug-ins and files of one's own libraries that the run rests on
    settings: dict[str, Any]  # every setting as it was used
    replicates: int  # with `replicates`: how many there were
    p05: "Summary"  # with `replicates`: lower ends of the 90 % intervals
    p95: "Summary"  # with `replicates`: upper ends
