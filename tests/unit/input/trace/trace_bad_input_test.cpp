// One broken file per message. The message follows "file:".
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_bad_input_test {

struct BadTrace {
  std::string name;
  std::string text;
  std::string message;
};

const std::string azure = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
const std::string ours = "arrival_s,prompt_tokens,output_tokens\n";
const std::string closed = "arrival_s,prompt_tokens,output_tokens,session,think_s\n";
const std::string blocks = "arrival_s,prompt_tokens,output_tokens,block_tokens,prefix_blocks\n";
const std::string claude =
    "trace,agent,seq,t_s,type,model,in_tokens,out_tokens,ttft_s,api_time_s,think_time_s,hash_ids_ranges\n";

const std::vector<BadTrace> bad_traces{
    {"Empty", "", " is empty; a trace needs at least one request"},
    {"OnlyBlank", "\n  \n", " is empty; a trace needs at least one request"},
    {"OnlyAHeader", ours, " holds no request; a trace needs at least one"},
    {"UnknownFormat", "a,b,c\n1,2,3\n",
     "1:1: this first line is of no known trace format; name one with 'format'. Known: azure, bailian, burstgpt, "
     "claude_code, claude_code_csv, llmservingsim, mooncake, ragpulse, servecast, servecast_jsonl, vidur"},
    {"TooFewColumns", azure + "2023-11-16 18:17:03,374\n",
     "2:24: the row has 2 columns, the header names 3: TIMESTAMP, ContextTokens, GeneratedTokens"},
    {"TooManyColumns", ours + "0,1,2\n0,1,2,9\n",
     "3:7: the row has 4 columns, the header names 3: arrival_s, prompt_tokens, output_tokens"},
    {"MissingColumn", "prompt_tokens,output_tokens\n1,2\n",
     "1:1: there is no column 'arrival_s'. Found: prompt_tokens, output_tokens"},
    {"UnknownColumn", "arrival_s,prompt_tokens,output_tokens,sesion\n0,1,2,3\n",
     "1:39: unknown column 'sesion'; did you mean 'session'? Known: request_id, arrival_s, prompt_tokens, "
     "output_tokens, session, think_s, class, client, priority, block_tokens, prefix_blocks"},
    {"NoNumber", ours + "0,many,2\n", "2:3: 'many' is no whole number; prompt tokens must be 1 to 100000000"},
    {"HalfAToken", ours + "0,1.5,2\n", "2:3: '1.5' is no whole number; prompt tokens must be 1 to 100000000"},
    {"EmptyNumber", ours + "0,,2\n", "2:3: '' is no whole number; prompt tokens must be 1 to 100000000"},
    {"NegativeTokens", ours + "0,-4,2\n", "2:3: prompt tokens must be 1 to 100000000, not -4"},
    {"NoPrompt", ours + "0,0,2\n", "2:3: prompt tokens must be 1 to 100000000, not 0"},
    {"AbsurdPrompt", ours + "0,100000001,2\n", "2:3: prompt tokens must be 1 to 100000000, not 100000001"},
    {"BeyondAnyInteger", ours + "0,99999999999999999999,2\n",
     "2:3: '99999999999999999999' is no whole number; prompt tokens must be 1 to 100000000"},
    {"NegativeOutput", ours + "0,4,-2\n", "2:5: output tokens must be 0 to 100000000, not -2"},
    {"NegativeTime", ours + "-1,4,2\n", "2:1: arrival_s must be 0 or more, not -1"},
    {"NoTime", ours + "soon,4,2\n", "2:1: 'soon' is no number; arrival_s must be 0 or more"},
    {"NotFinite", ours + "inf,4,2\n", "2:1: 'inf' is no number; arrival_s must be 0 or more"},
    {"AbsurdTime", ours + "1e11,4,2\n", "2:1: arrival_s of 1e11 is more than 300 years; is the unit right?"},
    {"Backwards", ours + "5,4,2\n4.5,4,2\n",
     "3:1: time runs backwards: this request arrives at 4.5 s, an earlier row at 5 s; sort the rows by arrival"},
    {"BadDate", azure + "2023-13-16 18:17:03,3,4\n",
     "2:1: '2023-13-16 18:17:03' is no time; write it like 2023-11-16 18:17:03.9799600"},
    {"BadFraction", azure + "2023-11-16 18:17:03.,3,4\n",
     "2:1: '2023-11-16 18:17:03.' is no time; write it like 2023-11-16 18:17:03.9799600"},
    {"AzureBackwards", azure + "2023-11-16 18:17:03,3,4\n2023-11-16 18:17:02,3,4\n",
     "3:1: time runs backwards: this request arrives at -1 s, an earlier row at 0 s; sort the rows by arrival"},
    {"ClassNotUtf8", "arrival_s,prompt_tokens,output_tokens,class\n0,4,2,\xE4\n",
     "2:7: the request class is not UTF-8; save the file as UTF-8"},
    {"ClassWithQuotes", "{\"arrival_s\": 0, \"prompt_tokens\": 1, \"output_tokens\": 2, \"class\": \"a,b\"}\n",
     "1:68: the request class is a plain name, without commas, quotes and backslashes"},
    {"BothTimes", closed + "1,4,2,x,3\n", "2:9: a row has arrival_s or think_s, not both: leave one empty"},
    {"ThinkWithoutSession", closed + "1,4,2,x,\n,4,2,,3\n",
     "3:7: a row with think_s needs the session whose previous row it follows"},
    {"SessionWithoutStart", closed + "1,4,2,x,\n,4,2,y,3\n",
     "3:1: this request waits for the one before it in its session, but there is none; the first row of a session "
     "needs an arrival time"},
    {"ClosedBackwards", closed + "5,4,2,x,\n4,4,2,y,\n",
     "3:1: time runs backwards: this request arrives at 4 s, an earlier row at 5 s; sort the rows by arrival"},
    {"TooManyBlocks", blocks + "0,32,2,16,0-2\n",
     "2:1: 3 hash blocks of 16 tokens are more than a prompt of 32 tokens has (2)"},
    {"BlocksOfNoSize", blocks + "0,32,2,,0-1\n", "2:8: '' is no whole number; block tokens must be 1 to 1000000"},
    {"BlocksWithoutSizeColumn", "arrival_s,prompt_tokens,output_tokens,prefix_blocks\n0,1,2,3\n",
     "1:1: there is no column 'block_tokens'. Found: arrival_s, prompt_tokens, output_tokens, prefix_blocks"},
    {"RunBackwards", blocks + "0,32,2,16,4-3\n", "2:11: the run of blocks '4-3' ends before it begins"},
    {"RunTooLong", blocks + "0,32,2,16,0-100000000\n",
     "2:11: the run of blocks '0-100000000' is longer than any prompt"},
    {"NegativeBlock", blocks + "0,32,2,16,3 -1\n", "2:13: a block id must be 0 to 2305843009213693952, not -1"},
    {"BrokenJson", "{\"timestamp\": 0, \"input_length\": 6, \"output_length\": 5, \"hash_ids\": [0\n",
     "1:71: is not valid JSON: expected ']', found the end of the line"},
    {"JsonWithoutColon", "{\"timestamp\" 0, \"input_length\": 6, \"output_length\": 5, \"hash_ids\": [0]}\n",
     "1:14: is not valid JSON: expected ':', found '0, \"input_le'"},
    {"JsonBehindTheEnd", "{\"timestamp\": 0, \"input_length\": 6, \"output_length\": 5, \"hash_ids\": [0]} x\n",
     "1:74: is not valid JSON: expected the end of the line, found 'x'"},
    {"JsonText", "{\"timestamp\": 0, \"input_length\": \"6\", \"output_length\": 5, \"hash_ids\": [0]}\n",
     "1:34: '\"6\"' is no whole number; prompt tokens must be 1 to 100000000"},
    {"MissingKey", "{\"timestamp\": 0, \"input_length\": 6, \"hash_ids\": [0]}\n",
     "1:1: the key 'output_length' is missing"},
    {"MooncakeBackwards",
     "{\"timestamp\": 9, \"input_length\": 6, \"output_length\": 5, \"hash_ids\": [0]}\n"
     "{\"timestamp\": 8, \"input_length\": 6, \"output_length\": 5, \"hash_ids\": [0]}\n",
     "2:15: time runs backwards: this request arrives at 0.008 s, an earlier row at 0.009 s; sort the rows by "
     "arrival"},
    {"UnknownCategory",
     "{\"timestamp\": \"9\", \"input_length\": 6, \"output_length\": 5, \"hash_ids\": {\"passages_ids\": [], "
     "\"web\": []}}\n",
     "1:93: unknown category 'web'. Known: sys_prompt, passages_ids, history, web_search, user_input"},
    {"OurJsonWithoutTime", "{\"prompt_tokens\": 1, \"output_tokens\": 2}\n",
     "1:1: a row needs either arrival_s, or think_s and a session"},
    {"OurJsonUnknownKey", "{\"arrival_s\": 0, \"prompt_tokens\": 1, \"output\": 2}\n",
     "1:39: unknown key 'output'. Known: request_id, arrival_s, prompt_tokens, output_tokens, session, think_s, "
     "class, client, priority, block_tokens, prefix_blocks"},
    {"ClaudeTooManyBlocks", claude + "t,main,0,0,n,m,127,5,,1,0,1-2\n" + "t,main,0,0,n,m,128,5,,1,0,1-3\n",
     "3:1: 3 hash blocks of 64 tokens are more than a prompt of 128 tokens has (2)"},
    {"ClaudeWithoutRequests", "{\"id\": \"a\", \"hash_id_scope\": \"local\"}\n",
     "1:1: the key 'requests' is missing"},
};

class BadTraces : public testing::TestWithParam<BadTrace> {};

TEST_P(BadTraces, AreToldWhereAndWhy) {
  const TempFolder folder;
  const std::string file = folder.write("bad", GetParam().text);
  EXPECT_EQ(message_of([&] { open_file(file).all(); }), file + ":" + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(, BadTraces, testing::ValuesIn(bad_traces),
                         [](const auto& test) { return test.param.name; });

TEST(BadTraceFile, AMissingOneIsTold) {
  EXPECT_EQ(message_of([] { open_file("nowhere.csv"); }),
            "nowhere.csv: cannot be read; give the path of an existing file");
}

TEST(BadTraceFile, ASessionRateForATraceThatTellsItsStartsIsRefused) {
  const TempFolder folder;
  const std::string file = folder.write("t.csv", ours + "0,4,2\n");
  WorkloadSpec spec = trace_spec(file);
  spec.source.trace->sessions_per_s = 2;
  EXPECT_EQ(message_of([&] { open(spec); }),
            "'sessions_per_s' is for traces that do not tell when sessions start, but " + file +
                " does; leave it out, or use 'rate_scale'");
}

TEST(BadTraceFile, AGzipCutShortIsToldAfterItsLastLine) {
  const TempFolder folder;
  std::string text = ours;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "," + std::to_string(1 + i % 977) + ",7\n";
  const std::string bytes = read_bytes(folder.write_gzip("whole.gz", text));
  const std::string cut = folder.write("cut.gz", bytes.substr(0, bytes.size() / 3));
  const std::string message = message_of([&] { open_file(cut).all(); });
  EXPECT_NE(message.find("is a gzip file that is cut short after line"), std::string::npos) << message;
}

}  // namespace servecast::trace_bad_input_test
