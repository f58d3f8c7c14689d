import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDelivery } from '../../shared/audit/delivery.ts';
import { jsonValuesIn, MalformedError } from '../../shared/audit/json-text.ts';
import { effort } from '../properties/runs.ts';

const read = (text: string | Uint8Array, bytes = 1000): readonly unknown[] => [
  ...jsonValuesIn(text, { bytesLeft: bytes }),
];
const bomb = gzipSync(Buffer.alloc(10_000, ' '));

describe('valuesIn', () => {
  it.each([
    ['one value', '{"a":1}', [{ a: 1 }]],
    ['one value over several lines', '{\n"a":\n1}\n', [{ a: 1 }]],
    ['a value on each line', '{"a":1}\r\n\n {"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['lines, one of which is not JSON', '{"a":1}\n{"a":', [{ a: 1 }, undefined]],
    ['a byte order mark', '\uFEFF{"a":1}', [{ a: 1 }]],
    ['a list', '[1,2]', [[1, 2]]],
  ])('reads %s, uncompressed and compressed', (_, text, want) => {
    expect(read(text)).toEqual(want);
    expect(read(Buffer.from(text))).toEqual(want);
    expect(read(gzipSync(text))).toEqual(want);
    const half = text.length >> 1;
    const members = [text.slice(0, half), text.slice(half)].map((part) => gzipSync(part));
    expect(read(Buffer.concat(members))).toEqual(want);
  });

  it.each([
    ['', 'text that is not JSON'],
    ['hello', 'text that is not JSON'],
    [bomb, 'more than 1000 bytes when inflated'],
    [bomb.subarray(0, 30), 'compressed data that is damaged'],
  ])('refuses %j', (text, message) => {
    expect(() => read(text)).toThrow(MalformedError);
    expect(() => read(text)).toThrow(message);
  });

  it('inflates all parts of a body up to their common limit, and stops at the first part that exceeds it', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 8 });
    fc.assert(
      fc.property(sizes, (parts) => {
        const budget = { bytesLeft: 1000 };
        let inflated = 0;
        for (const size of parts) {
          const before = budget.bytesLeft;
          const text = JSON.stringify('x'.repeat(size));
          const values = (() => {
            try {
              return [...jsonValuesIn(gzipSync(text), budget)];
            } catch {
              return [];
            }
          })();
          expect(values).toEqual(text.length <= before ? [JSON.parse(text)] : []);
          inflated += values.length === 0 ? 0 : text.length;
          expect(budget.bytesLeft).toBe(text.length <= before ? before - text.length : 0);
        }
        expect(inflated).toBeLessThanOrEqual(1000);
      }),
      effort(300),
    );
  });
});

describe('readDelivery', () => {
  it('inflates only the first of many gzip bombs in a body', () => {
    const data = gzipSync(Buffer.alloc(64 << 20)).toString('base64');
    const began = process.cpuUsage();
    const { problem, dropped } = readDelivery({ records: Array(200).fill({ data }) });
    const { user, system } = process.cpuUsage(began);
    expect(problem).toMatch(/^more than \d+ bytes when inflated/);
    expect(dropped['not read, because earlier compressed data is damaged or too large']).toBe(199);
    expect((user + system) / 1000).toBeLessThan(500);
  });

  it('refuses envelopes that are nested more than eight deep', () => {
    let body: object = { version: 1, request: {} };
    for (let at = 0; at < 3; at++) body = { records: [body] };
    expect(readDelivery(body)).toMatchObject({ requests: [{ request: {} }], problem: undefined });
    for (let at = 0; at < 3000; at++) body = { records: [body] };
    expect(readDelivery(body).problem).toBe('nested in more than 8 envelopes, lists and strings');
  });

  it('reads the first 20,000 entries of a body, and reports that there are more', () => {
    const body = Array(30_000).fill({ version: 1, request: {} });
    const { requests, problem } = readDelivery(body);
    expect(requests).toHaveLength(20_000);
    expect(problem).toBe('more than 20000 entries; send smaller batches');
  });
});
