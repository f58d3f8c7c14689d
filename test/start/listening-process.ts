import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/** Stands in for the command `dashboard`: listens on its port, and prints the messages it receives. */
const { values } = parseArgs({ strict: false, options: { port: { type: 'string' } } });
const print = (facts: object): void =>
  console.log(JSON.stringify({ kinds: process.env.KINDS, ...facts }));
process.on('message', print);
createServer().listen(Number(values.port), '127.0.0.1');
