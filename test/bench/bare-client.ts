import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The baseline of the comparison: only sends the recorded requests of a run over eight keep-alive connections,
 * and parses the responses. Arguments: server URL, CA certificate, JSON file of requests. Each `begin` message
 * starts one pass over the requests; `done` reports its end.
 */
const [url = '', ca = '', file = ''] = process.argv.slice(2);
const all = JSON.parse(await readFile(file, 'utf8')) as readonly Request[];
const agent = new Agent({ keepAlive: true, maxSockets: 8, ca });

const unpacked = promisify(gunzip);

async function parse(response: IncomingMessage): Promise<unknown> {
  const body = await buffer(response);
  const isPacked = response.headers['content-encoding'] === 'gzip';
  return JSON.parse((isPacked ? await unpacked(body) : body).toString());
}

function send({ method, path, headers, body }: Request): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { agent, method, headers }, (response) =>
      resolve(parse(response)),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function sendAll(): Promise<void> {
  const left = all.values();
  const one = async (): Promise<void> => {
    for (const next of left) await send(next);
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

process.on('message', (message) => {
  if (message === 'begin') void sendAll().then(() => process.send?.('done'));
});
process.send?.('ready');
