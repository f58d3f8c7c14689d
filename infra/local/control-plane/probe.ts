import { Agent, request } from 'undici';

/** Sends a request to a starting API server; returns undefined if it does not answer yet. */
export interface Probe {
  isThere(path: string): Promise<true | undefined>;
  create(path: string, body: object): Promise<true | undefined>;
  close(): Promise<void>;
}

export function createProbe(server: {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}): Probe {
  const dispatcher = new Agent({ connect: { ca: server.ca } });
  const headers = {
    authorization: `Bearer ${server.token}`,
    'content-type': 'application/json',
  };

  async function statusOf(path: string, body?: object): Promise<number> {
    const sent = body === undefined ? {} : { method: 'POST' as const, body: JSON.stringify(body) };
    const answer = await request(`${server.url}${path}`, { dispatcher, headers, ...sent });
    await answer.body.dump();
    return answer.statusCode;
  }

  return {
    isThere: async (path) => ((await statusOf(path)) === 200 ? true : undefined),
    create: async (path, body) =>
      [201, 409].includes(await statusOf(path, body)) ? true : undefined,
    close: () => dispatcher.destroy(),
  };
}
