import { expect, test } from 'vitest';
import { openUpload } from '../../shared/google/platform.ts';
import { startBucket } from '../support/bucket.ts';

const soon = () => Date.now() + 5_000;

test('a failed upload of a recording is retried, and an existing object counts as the earlier attempt', async () => {
  let calls = 0;
  const codes = [503, 429, 412];
  const bucket = await startBucket((request, response) => {
    request.resume();
    response.writeHead(codes[calls++] ?? 500).end();
  });
  const upload = openUpload({ name: 'records', emulator: bucket.host }, { backoffMs: 1 });
  await upload('one', Buffer.from('content'), soon());
  expect(calls).toBe(3);
});

test('a refused token for an upload is reported, and nothing is sent', async () => {
  const tokens = () => Promise.reject(new Error('the metadata server issued no token: HTTP 403'));
  const upload = openUpload({ name: 'records', emulator: undefined }, { tokens });
  await expect(upload('one', Buffer.from(''), soon())).rejects.toThrow(
    'cannot write to the bucket records: the metadata server issued no token: HTTP 403',
  );
});
