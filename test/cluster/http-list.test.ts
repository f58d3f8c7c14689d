import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOf, OversizedError } from '../../shared/cluster/cluster-errors.ts';
import { listOver } from '../../shared/cluster/http-list.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import { effort } from '../properties/runs.ts';
import { metadata } from '../support/api-endpoint.ts';
import { clusterOf } from '../support/http-cluster.ts';

/** Returns the limits of the requests that read objects of these sizes, if a page holds `room`. */
async function read(sizes: readonly number[], room: number): Promise<readonly number[]> {
  const requests: number[] = [];
  const list = listOver(async (_, { path }) => {
    const query = new URLSearchParams(path.split('?')[1]);
    const [limit, from] = [Number(query.get('limit')), Number(query.get('continue') ?? 0)];
    requests.push(limit);
    const some = sizes.slice(from, from + limit);
    if (limit > 1 && some.reduce((sum, size) => sum + size, 0) > room)
      throw new OversizedError('too large');
    const next = from + limit < sizes.length ? { continue: `${from + limit}` } : {};
    const items = some.map((_size, at) => ({ metadata: metadata(`s${from + at}`) }));
    return { metadata: next, items };
  });
  await list(secret, {}, () => undefined);
  return requests;
}

describe('the size of pages', () => {
  it('costs ordinary lists no extra request', async () => {
    expect(await read(Array(1200).fill(1), 10_000)).toEqual([500, 500, 500]);
  });

  it('is one object after four pages that were too large, and then grows', async () => {
    expect(await read([9, 9, 1, 1], 10)).toEqual([500, 125, 31, 7, 1, 2, 3]);
  });

  it('discards less than a third of the objects if all objects are large', async () => {
    const requests = await read(Array(3_000).fill(100), 8_000);
    const tooLarge = requests.filter((limit) => 100 * limit > 8_000).reduce((sum) => sum + 80, 0);
    expect(tooLarge).toBeLessThan(3_000 / 3);
  });

  it('never costs more than four additional requests for a large object', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(1, 1, 1, 1, 60, 100), { maxLength: 3000 }),
        async (sizes) => {
          const large = sizes.filter((size) => size > 1).length;
          const requests = await read(sizes, 500);
          expect(requests.length).toBeLessThanOrEqual(40 + 4 * large + sizes.length / 100);
        },
      ),
      effort(200),
    );
  });
});

/** Serves Secrets of these sizes in pages, as an API server does. */
const serving = (sizes: readonly number[]) =>
  clusterOf(
    ({ query }) => {
      const from = Number(query.continue ?? 0);
      const to = Math.min(sizes.length, from + Number(query.limit));
      const items = sizes.slice(from, to).map((size, at) => ({
        metadata: metadata(`s${from + at}`, { namespace: 'a' }),
        data: { key: 'x'.repeat(size) },
      }));
      const more = to < sizes.length ? { continue: String(to) } : {};
      return { body: { metadata: more, items } };
    },
    { responses: { bytes: 10_000 } },
  );

describe('a list of large objects', () => {
  it('is read in smaller pages, each object once', async () => {
    const sizes = Array.from({ length: 40 }, (_, at) => (at % 3 === 0 ? 4_000 : 10));
    const { cluster, api } = await serving(sizes);
    const names: string[] = [];
    await cluster.list(secret, {}, ({ metadata: { name } }) => names.push(name));
    expect(names).toEqual(sizes.map((_, at) => `s${at}`));
    expect(api.requests.length).toBeLessThan(40);
  });

  it('is incomplete if an object is too large to be read, and names it', async () => {
    const { cluster } = await serving([10, 20_000, 10]);
    const names: string[] = [];
    const error: unknown = await cluster
      .list(secret, {}, ({ metadata: { name } }) => names.push(name))
      .catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(OversizedError);
    expect(messageOf(error)).toBe(
      'cannot list secrets: its response has more than 10000 bytes: the object after a/s0 is too large to be read',
    );
    expect(names).toEqual(['s0']);
  });
});
