import { describe, expect, it } from 'vitest';
import { CredentialsError } from '../../shared/cluster/cluster-errors.ts';
import { fromEndpoint, serviceAccountTokens } from '../../shared/google/metadata-server.ts';
import { startApiEndpoint } from '../support/api-endpoint.ts';

/** What answers in place of a metadata server, though with its header. */
const answering = (body: unknown) =>
  startApiEndpoint(() => ({ body, headers: { 'metadata-flavor': 'Google' } }));

const noToken = 'the answer of the metadata server is not a token';
const answers: Record<string, { reason: string; given: unknown; want: string }> = {
  Null: { reason: 'JSON, but nothing', given: 'null', want: noToken },
  Html: { reason: 'a page to sign in', given: '<html>SECRET</html>', want: noToken },
  CutOff: { reason: 'half a response', given: '{"access_token":"SECRET', want: noToken },
  Large: { reason: 'no token is as long', given: 'x'.repeat(300_000), want: noToken },
  List: { reason: 'JSON of another form', given: [], want: noToken },
  NoTime: { reason: 'good for how long?', given: { access_token: 'SECRET' }, want: noToken },
  LineBreak: {
    reason: 'no request could be sent with it',
    given: { access_token: 'SECRET\nSECRET', expires_in: 3599 },
    want: 'the metadata server returned a token that is not a valid header value',
  },
};

describe('a metadata server that returns no token', () => {
  it.each(Object.entries(answers))('%s', async (_, { reason, given, want }) => {
    const { url } = await answering(given);
    const error = await fromEndpoint('10.0.0.1', undefined, url)
      .authorization(false)
      .catch((cause: unknown) => cause);
    expect(error, reason).toBeInstanceOf(CredentialsError);
    expect((error as Error).message, reason).toBe(
      `CLUSTER_ENDPOINT: ${want}; outside Google Cloud use CLUSTER_CONTEXT`,
    );
  });
});

describe('a metadata server that does not answer', () => {
  const silences = {
    Nothing: { reason: 'no answer at all', given: () => new Promise<never>(() => {}) },
    Body: {
      reason: 'it stops half-way',
      given: () => ({
        body: '{',
        headers: { 'metadata-flavor': 'Google', 'content-length': '100' },
      }),
    },
  };
  it.each(Object.entries(silences))('%s', async (_, { reason, given }) => {
    const { url, requests } = await startApiEndpoint(given);
    const begun = Date.now();
    const token = serviceAccountTokens(url, { answerMs: 200, triesMs: 500 });
    await expect(token(false), reason).rejects.toThrow(
      'the metadata server of Google Cloud does not answer',
    );
    expect(Date.now() - begun, reason).toBeLessThan(20_000);
    expect(requests.length, reason).toBeGreaterThan(1);
  });
});
