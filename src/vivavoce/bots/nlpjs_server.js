// nlp.js as a server on this machine: POST /understand {"text"} -> {"intent", "score", "ranking"}.
// The first line of standard input is what it learns: {"language", "threshold", "topics": {intent: [phrases]}}.
// It announces its address on standard output and ends when standard input ends, that is with its parent.
'use strict';

const http = require('http');
const readline = require('readline');
// The package is not beside this file: the parent says where it was installed.
const { NlpManager } = require(require.resolve('node-nlp', { paths: [process.argv[2]] }));

const LARGEST = 1 << 20;

async function learn({ language, threshold, topics }) {
  const nlp = new NlpManager({
    languages: [language],
    threshold,
    autoSave: false,
    forceNER: false,
    // Words that were never seen speak for "None", nlp.js's own fallback.
    nlu: { log: false, useNoneFeature: true },
  });
  for (const [intent, phrases] of Object.entries(topics)) {
    for (const phrase of phrases) nlp.addDocument(language, phrase, intent);
  }
  await nlp.train();
  return async (text) => {
    const { intent, score, classifications } = await nlp.process(language, text);
    return { intent, score, ranking: classifications };
  };
}

async function readJson(request) {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) {
    body += piece;
    if (body.length > LARGEST) throw new Error('the message is too large');
  }
  return JSON.parse(body);
}

function answer(response, code, value) {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function serve(material) {
  const understand = await learn(material);
  const server = http.createServer(async (request, response) => {
    try {
      if (request.method !== 'POST' || request.url !== '/understand') return answer(response, 404, { error: 'no such path' });
      answer(response, 200, await understand((await readJson(request)).text));
    } catch (error) {
      answer(response, 500, { error: error.message });
    }
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }) + '\n');
  });
}

const input = readline.createInterface({ input: process.stdin });
input.once('line', (line) => serve(JSON.parse(line)).catch((error) => { console.error(error); process.exit(1); }));
input.once('close', () => process.exit(0));
