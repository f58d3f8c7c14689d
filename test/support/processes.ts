import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** Returns a port on which nothing listened a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves with the first line of a process's output that matches; rejects if it ends without one. */
export const lineOf = (child: ChildProcess, text: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const lines: string[] = [];
    if (child.stdout === null) throw new Error('no output');
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line);
      if (text.test(line)) resolve(line);
    });
    child.once('exit', () => reject(new Error(`ended without ${text}:\n${lines.join('\n')}`)));
  });
