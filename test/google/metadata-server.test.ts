import { describe, expect, it } from 'vitest';
import { CredentialsError } from '../../shared/cluster/cluster-errors.ts';
import { fromEndpoint, serviceAccountTokens } from '../../shared/google/metadata-server.ts';
import { startApiEndpoint } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';

/** Starts a server that sends this body with the header of a metadata server. */
const serverWith = (body: unknown) =>
  startApiEndpoint(() => ({ body, headers: { 'metadata-flavor': 'Google' } }));

const noToken = 'the response of the metadata server is not a token';
const responses: Record<string, { reason: string; given: unknown; want: string }> = {
  Null: { reason: 'null is not a token', given: 'null', want: noToken },
  Html: {
    reason: 'a proxy may return a sign-in page',
    given: '<html>SECRET</html>',
    want: noToken,
  },
  CutOff: { reason: 'the response is incomplete', given: '{"access_token":"SECRET', want: noToken },
  List: { reason: 'a list is not a token', given: [], want: noToken },
  NoTime: { reason: 'the lifetime is missing', given: { access_token: 'SECRET' }, want: noToken },
};

describe('a metadata server that returns no token', () => {
  it.each(casesOf(responses))('%s', async (_, { given, want }) => {
    const { url } = await serverWith(given);
    const error = await fromEndpoint('10.0.0.1', undefined, url)
      .access(false)
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(CredentialsError);
    expect((error as Error).message).toBe(
      `CLUSTER_ENDPOINT: ${want}; outside Google Cloud use CLUSTER_CONTEXT`,
    );
  });
});

describe('a metadata server that does not respond', () => {
  const silences = {
    Nothing: { reason: 'there is no response at all', given: () => new Promise<never>(() => {}) },
    Body: {
      reason: 'the response stops half-way',
      given: () => ({
        body: '{',
        headers: { 'metadata-flavor': 'Google', 'content-length': '100' },
      }),
    },
  };
  it.each(casesOf(silences))('%s', async (_, { given }) => {
    const { url, requests } = await startApiEndpoint(given);
    const begun = Date.now();
    const token = serviceAccountTokens(url, { responseMs: 200, triesMs: 500 });
    await expect(token(false)).rejects.toThrow(
      'the metadata server of Google Cloud does not respond',
    );
    expect(Date.now() - begun).toBeLessThan(20_000);
    expect(requests.length).toBeGreaterThan(1);
  });
});
