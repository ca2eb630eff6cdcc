// Each format on a few rows that can be checked by eye.
#include <gmock/gmock.h>

#include "sim/input/trace/formats/trace_format.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_formats_test {

using testing::ElementsAre;

class TraceFormats : public testing::Test {
 protected:
  std::vector<Seen> read(const std::string& text, const std::string& format = "auto") {
    opened_ = open_file(folder_.write("trace", text), format);
    return opened_.all();
  }
  std::string class_name(const Seen& seen) const {
    return opened_.notes->classes.all()[index(seen.request.request_class)];
  }
  std::int64_t skipped() const {
    const auto& rows = opened_.notes->skipped_rows;
    return rows.empty() ? 0 : rows.begin()->second;
  }
  TempFolder folder_;
  Opened opened_;
};

TEST_F(TraceFormats, Azure2023) {
  const auto seen = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
      "2023-11-16 23:59:59.9799600,374,44\r\n"
      "2023-11-17 00:00:00.0319600,396,109");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].request.arrival_s, 0);
  EXPECT_EQ(seen[0].request.prompt_tokens, 374);
  EXPECT_EQ(seen[0].request.output_tokens, 44);
  EXPECT_EQ(seen[1].request.arrival_s, 0.052);  // over midnight
  EXPECT_EQ(index(seen[1].request.id), 1u);
  EXPECT_EQ(seen[1].request.block_tokens, 0);
  EXPECT_EQ(seen[1].request.session, SessionId{});
}

TEST_F(TraceFormats, Azure2024) {
  const auto seen = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2024-02-28 23:59:59+00:00,10,1\n"
      "2024-02-29 00:00:00.009930+00:00,20,2\n"
      "2024-03-01 02:00:00+02:00,30,3\n");
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[1].request.arrival_s, 1.00993);
  EXPECT_EQ(seen[2].request.arrival_s, 86401);  // 2024 has a 29 February; two hours east of UTC
}

TEST_F(TraceFormats, Mooncake) {
  const auto seen =
      read(R"({"timestamp": 0, "input_length": 1100, "output_length": 500, "hash_ids": [0, 1, 7]})"
           "\n"
           R"({"timestamp": 3052, "input_length": 512, "output_length": 0, "hash_ids": [0]})"
           "\n"
           R"({"timestamp": 3052, "input_length": 513, "output_length": 9, "hash_ids": [0, 8], "more": {"a": ["]"]}})"
           "\n");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(skipped(), 1);
  EXPECT_EQ(seen[0].request.block_tokens, 512);
  EXPECT_THAT(seen[0].blocks, ElementsAre(0, 1, 7));
  EXPECT_EQ(seen[1].request.arrival_s, 3.052);
  EXPECT_THAT(seen[1].blocks, ElementsAre(0, 8));
}

TEST_F(TraceFormats, BurstGptOldColumns) {
  const auto seen = read(
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5,ChatGPT,472,18,490,Conversation log\n"
      "45,ChatGPT,1087,0,1087,Conversation log\n"
      "118,GPT-4,417,276,693,API log\n");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(skipped(), 1);
  EXPECT_EQ(seen[0].request.arrival_s, 0);
  EXPECT_EQ(seen[1].request.arrival_s, 113);
  EXPECT_EQ(class_name(seen[0]), "Conversation log");
  EXPECT_EQ(class_name(seen[1]), "API log");
  EXPECT_EQ(seen[0].request.session, SessionId{});
}

TEST_F(TraceFormats, BurstGptWithSessions) {
  const auto seen = read(
      "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
      "5.5,s9,1.2,ChatGPT,472,18,490,Conversation log\n"
      "45,,2.0,ChatGPT,0,0,0,API log\n"
      "46,,2.0,ChatGPT,3,4,7,API log\n"
      "50.25,s9,1.2,ChatGPT,600,20,620,Conversation log\n");
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].request.session, SessionId{1});
  EXPECT_EQ(seen[1].request.session, SessionId{});
  EXPECT_EQ(seen[2].request.session, SessionId{1});
  EXPECT_EQ(seen[2].request.arrival_s, 44.75);
}

TEST_F(TraceFormats, Bailian) {
  const auto seen = read(
      R"({"chat_id": 10, "parent_chat_id": -1, "timestamp": 1.5, "input_length": 17, "output_length": 3, "type": "text", "turn": 1, "hash_ids": [4, 5]})"
      "\n"
      R"({"chat_id": 11, "parent_chat_id": -1, "timestamp": 2, "input_length": 16, "output_length": 3, "type": "search", "turn": 1, "hash_ids": [6]})"
      "\n"
      R"({"chat_id": 12, "parent_chat_id": 10, "timestamp": 3, "input_length": 40, "output_length": 3, "type": "text", "turn": 2, "hash_ids": [4, 5, 7]})"
      "\n"
      R"({"chat_id": 13, "parent_chat_id": 12, "timestamp": 4, "input_length": 1, "output_length": 3, "type": "file", "turn": 3, "hash_ids": [8]})"
      "\n"
      R"({"chat_id": 14, "parent_chat_id": 3, "timestamp": 5, "input_length": 1, "output_length": 3, "type": "text", "turn": 9, "hash_ids": [9]})"
      "\n");
  ASSERT_EQ(seen.size(), 5u);
  EXPECT_EQ(seen[0].request.arrival_s, 1.5);
  EXPECT_EQ(seen[0].request.block_tokens, 16);
  EXPECT_THAT(seen[2].blocks, ElementsAre(4, 5, 7));
  const auto session = [&](int i) { return index(seen[static_cast<std::size_t>(i)].request.session); };
  EXPECT_EQ(session(0), 1u);
  EXPECT_EQ(session(1), 2u);
  EXPECT_EQ(session(2), 1u);  // child of 10
  EXPECT_EQ(session(3), 1u);  // grandchild
  EXPECT_EQ(session(4), 3u);  // its parent came before the trace began
  EXPECT_EQ(class_name(seen[1]), "search");
  EXPECT_EQ(class_name(seen[3]), "file");
}

TEST_F(TraceFormats, RagPulseIsSortedAndKeepsCategoriesApart) {
  const auto seen = read(
      R"({"timestamp": "90", "input_length": 100, "output_length": 2, "hash_ids": {"sys_prompt": [5, 6], "passages_ids": [5], "history": [], "web_search": [2], "user_input": [5]}, "session_id": "b"})"
      "\n"
      R"({"timestamp": "3", "input_length": 10, "output_length": 4, "hash_ids": {"sys_prompt": [5], "passages_ids": [], "history": [5], "web_search": [], "user_input": []}, "session_id": "a"})"
      "\n\n");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].request.arrival_s, 3);
  EXPECT_EQ(seen[1].request.arrival_s, 90);
  const BlockHash scope = BlockHash{1} << 48;
  EXPECT_THAT(seen[0].blocks, ElementsAre(5, 2 * scope + 5));
  EXPECT_THAT(seen[1].blocks, ElementsAre(5, 6, scope + 5, 3 * scope + 2, 4 * scope + 5));
  EXPECT_EQ(seen[0].request.block_tokens, 5);   // 10 tokens in 2 chunks
  EXPECT_EQ(seen[1].request.block_tokens, 20);  // 100 in 5
  EXPECT_EQ(seen[1].request.session, SessionId{1});
  EXPECT_EQ(seen[0].request.session, SessionId{2});
  EXPECT_FALSE(seen[1].request.awaited);
}

TEST_F(TraceFormats, RagPulseChunksAreEquallyLongToTheNearestToken) {
  const auto block_tokens = [&](const std::string& prompt_tokens) {
    return read(
               R"({"timestamp": "0", "input_length": )" + prompt_tokens +
               R"(, "output_length": 1, "hash_ids": {"sys_prompt": [1, 2], "passages_ids": [3, 4]}, "session_id": "a"})"
               "\n")[0]
        .request.block_tokens;
  };
  EXPECT_EQ(block_tokens("1201"), 300);  // 300.25
  EXPECT_EQ(block_tokens("1202"), 301);  // 300.5
  EXPECT_EQ(block_tokens("1203"), 301);  // 300.75
  EXPECT_EQ(block_tokens("1"), 1);       // 0.25: never 0, which would mean no blocks
}

const std::string claude_header =
    "trace,agent,seq,t_s,type,model,in_tokens,out_tokens,ttft_s,api_time_s,think_time_s,hash_ids_ranges\n";

TEST_F(TraceFormats, ClaudeCodeCsv) {
  const auto seen = read(claude_header +
                         "t1,main,0,0.0,n,m,200,7,,4.5,0.0,1-3\n"
                         "t1,sub1,0,0.0,n,m,64,5,,2,0.0,9\n"
                         "t1,sub1,1,6,n,m,128,5,,2,3,9-10\n"
                         "t1,main,1,20,n,m,330,8,,1,12.5,1-3 5-6\n"
                         "t1,main,2,30,n,m,400,8,,1,,1-3 5-6\n"
                         "t2,main,0,0.0,n,m,64,6,,1,0.0,1\n");
  ASSERT_EQ(seen.size(), 6u);
  // Both sessions start at 0; the sub-agent when the request before it had ended, after 4.5 s.
  EXPECT_THAT(seen[0].blocks, ElementsAre((1 << 24) + 1, (1 << 24) + 2, (1 << 24) + 3));
  EXPECT_EQ(seen[0].request.arrival_s, 0);
  EXPECT_TRUE(seen[0].request.awaited);
  EXPECT_EQ(seen[1].request.prompt_tokens, 64);  // t2
  EXPECT_THAT(seen[1].blocks, ElementsAre((2 << 24) + 1));
  EXPECT_FALSE(seen[1].request.awaited);
  const auto find = [&](std::int64_t prompt) {
    return *std::ranges::find_if(seen, [&](const Seen& s) { return s.request.prompt_tokens == prompt && s.think_s; });
  };
  EXPECT_EQ(*find(330).think_s, 12.5);
  EXPECT_THAT(find(330).blocks.back(), (1 << 24) + 6);
  EXPECT_DOUBLE_EQ(*find(400).think_s, 9);  // not recorded: 30 - 20 - 1
  EXPECT_EQ(*find(128).think_s, 3);
  const auto sub = std::ranges::find_if(seen, [](const Seen& s) { return s.request.arrival_s == 4.5; });
  ASSERT_NE(sub, seen.end());
  EXPECT_EQ(sub->request.prompt_tokens, 64);
  EXPECT_FALSE(sub->think_s);
}

TEST_F(TraceFormats, ClaudeCodeSessionsMayStartAsPoisson) {
  std::string text = claude_header;
  for (int i = 0; i < 2000; ++i) text += "t" + std::to_string(i) + ",main,0,0,n,m,64,6,,1,0,1\n";
  WorkloadSpec spec = trace_spec(folder_.write("trace", text));
  spec.source.trace->sessions_per_s = 0.5;
  const auto seen = open(spec).all();
  ASSERT_EQ(seen.size(), 2000u);
  EXPECT_GT(seen[0].request.arrival_s, 0);
  EXPECT_NEAR(seen.back().request.arrival_s, 4000, 3 * 2 * std::sqrt(2000));  // 2000 gaps of 2 s, each +- 2 s
}

TEST_F(TraceFormats, ClaudeCodeJsonGivesTheSameAsCsv) {
  const auto csv = read(claude_header +
                        "t1,main,0,0.0,n,m,200,7,,4.5,0.0,1-3\n"
                        "t1,sub1,0,0.0,n,m,64,5,,2,0.0,9\n"
                        "t1,sub1,1,6,n,m,128,5,,2,3,9-10\n"
                        "t1,main,1,20,n,m,330,8,,1,12.5,1-3 5-6\n");
  const auto json = read(
      R"({"id":"t1","block_size":64,"hash_id_scope":"local","requests":[)"
      R"({"t":0.0,"type":"n","in":200,"out":7,"hash_ids":[1,2,3],"api_time":4.5,"think_time":0.0},)"
      R"({"t":9.5,"type":"subagent","requests":[{"t":0.0,"in":64,"out":5,"hash_ids":[9],"api_time":2,"think_time":0},)"
      R"({"t":6,"in":128,"out":5,"hash_ids":[9,10],"api_time":2,"think_time":3}],"models":["m"]},)"
      R"({"t":20.0,"in":330,"out":8,"hash_ids":[1,2,3,5,6],"api_time":1,"think_time":12.5}],"totals":{}})"
      "\n");
  ASSERT_EQ(json.size(), csv.size());
  for (std::size_t i = 0; i < csv.size(); ++i) {
    EXPECT_EQ(json[i].request.arrival_s, csv[i].request.arrival_s);
    EXPECT_EQ(json[i].request.prompt_tokens, csv[i].request.prompt_tokens);
    EXPECT_EQ(json[i].request.output_tokens, csv[i].request.output_tokens);
    EXPECT_EQ(json[i].request.session, csv[i].request.session);
    EXPECT_EQ(json[i].think_s, csv[i].think_s);
    EXPECT_EQ(json[i].blocks, csv[i].blocks);
  }
}

TEST_F(TraceFormats, LlmServingSim) {
  const auto seen =
      read(R"({"input_toks": 2358, "output_toks": 531, "arrival_time_ns": 46926808, "input_tok_ids": [5971, 29]})"
           "\n");
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].request.arrival_s, 0.046926808);
  EXPECT_EQ(seen[0].request.prompt_tokens, 2358);
}

TEST_F(TraceFormats, OurCsvOpenLoop) {
  const auto seen = read(
      "output_tokens,prompt_tokens,arrival_s,class,block_tokens,prefix_blocks\n"
      "5,40,0.125,chat,16,3-4 9\n"
      "6,50,2,,,\n");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].request.arrival_s, 0.125);
  EXPECT_EQ(class_name(seen[0]), "chat");
  EXPECT_THAT(seen[0].blocks, ElementsAre(3, 4, 9));
  EXPECT_EQ(seen[0].request.block_tokens, 16);
  EXPECT_EQ(seen[1].request.request_class, ClassId{});
  EXPECT_EQ(seen[1].request.block_tokens, 0);
}

TEST_F(TraceFormats, OurCsvClosedLoop) {
  read(
      "request_id,arrival_s,prompt_tokens,output_tokens,session,think_s\n"
      "0,1,10,1,x,\n"
      "1,,20,2,x,0.5\n"
      "2,3,30,3,y,\n"
      "3,,40,4,x,0.25\n");
  opened_ = open_file(folder_ / "trace");
  Workload& workload = *opened_.workload;
  const Request x0 = *workload.next();
  const Request y0 = *workload.next();
  EXPECT_FALSE(workload.next());
  EXPECT_TRUE(x0.awaited);
  EXPECT_FALSE(y0.awaited);
  EXPECT_EQ(y0.arrival_s, 3);
  const Request x1 = *workload.follow_up(x0, 7);
  EXPECT_EQ(x1.arrival_s, 7.5);
  EXPECT_EQ(x1.prompt_tokens, 20);
  EXPECT_EQ(x1.session, x0.session);
  EXPECT_EQ(index(x1.id), 2u);  // in the order given out
  const Request x2 = *workload.follow_up(x1, 8);
  EXPECT_EQ(x2.arrival_s, 8.25);
  EXPECT_FALSE(x2.awaited);
}

TEST_F(TraceFormats, AFailedRequestPassesItsPlaceOn) {
  const auto seen = read(
      "arrival_s,prompt_tokens,output_tokens,session,think_s\n"
      "1,10,0,x,\n"
      ",20,2,x,0.5\n"
      ",25,0,x,0.5\n"
      ",30,3,x,4\n"
      "5,10,0,y,\n");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].request.arrival_s, 1);  // in place of the failed first one
  EXPECT_EQ(seen[0].request.prompt_tokens, 20);
  EXPECT_EQ(*seen[1].think_s, 4);
  EXPECT_EQ(skipped(), 3);
}

TEST_F(TraceFormats, OurJsonl) {
  const auto seen = read(
      R"({"request_id": 0, "arrival_s": 0.25, "prompt_tokens": 33, "output_tokens": 210, "session": 7, "class": "chat", "block_tokens": 16, "prefix_blocks": [0, 1, 5]})"
      "\n"
      R"({"think_s": 12.5, "prompt_tokens": 1500, "output_tokens": 180, "session": 7})"
      "\n");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].request.arrival_s, 0.25);
  EXPECT_THAT(seen[0].blocks, ElementsAre(0, 1, 5));
  EXPECT_EQ(class_name(seen[0]), "chat");
  EXPECT_EQ(*seen[1].think_s, 12.5);
  EXPECT_EQ(seen[1].request.session, seen[0].request.session);
}

TEST_F(TraceFormats, CanBeForced) {
  EXPECT_EQ(read("arrival_s,prompt_tokens,output_tokens\n0,1,2\n", "servecast").size(), 1u);
  EXPECT_THROW(read("arrival_s,prompt_tokens,output_tokens\n0,1,2\n", "azure"), UserError);
}

}  // namespace servecast::trace_formats_test
