import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from './functions/start-error.ts';

/** `ports` maps options to ports. Throws a StartError that names every port in use. */
export async function requireFreePorts(ports: Readonly<Record<string, number>>): Promise<void> {
  const taken: (readonly [option: string, port: number])[] = [];
  for (const [option, port] of Object.entries(ports)) {
    const error = await errorOn(port);
    if (error?.code === 'EADDRINUSE') taken.push([option, port]);
    else if (error !== undefined)
      throw new StartError(
        `port ${port} cannot be used (${error.message}): choose another with ${option}`,
      );
  }
  if (taken.length > 0) throw new StartError(inUse(taken));
}

async function errorOn(port: number): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
  server.close();
  await once(server, 'close');
  return undefined;
}

function inUse(taken: readonly (readonly [option: string, port: number])[]): string {
  const options = listed(taken.map(([option]) => option));
  const ports = listed(taken.map(([, port]) => String(port)));
  return taken.length === 1
    ? `port ${ports} is in use: stop the process that uses it, or choose another with ${options}`
    : `ports ${ports} are in use, perhaps by another npm start: stop the processes that use them, or choose others with ${options}`;
}

const words = new Intl.ListFormat('en-GB', { style: 'long', type: 'conjunction' });
const listed = (items: readonly string[]): string => words.format(items);
