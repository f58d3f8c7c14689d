import { type CustomFetch, customFetch, discovery, refreshTokenGrant } from 'openid-client';
import { parseJson, present, textAt, valueAt } from '../../json.ts';
import { askService } from '../ask-service.ts';
import { bytesOf, type KubeconfigEntry, textOf } from './kubeconfig.ts';

/** Maps each refresh token in a kubeconfig to its newest replacement, for when the kubeconfig is read again. */
const newest = new Map<string, string>();

/**
 * Returns a function that gets the ID token of a user, and renews it shortly before it expires. `config` has
 * the user's name and the fields of the auth-provider `oidc`.
 *
 * Guarantees: an error names the user, and quotes only the error code from the response. Caveats: a renewed
 * refresh token is not written to the kubeconfig, and is lost when the process ends.
 */
export function oidcTokens(config: KubeconfigEntry): () => Promise<string> {
  const user = `user "${config.name}"`;
  let idToken = textOf(config, 'id-token');
  const refreshToken = textOf(config, 'refresh-token');
  return async () => {
    if (idToken !== undefined && Date.now() < expiryOf(idToken) - 10_000) return idToken;
    const [issuer, clientId] = ['idp-issuer-url', 'client-id'].map((name) => textOf(config, name));
    if (refreshToken === undefined || issuer === undefined || clientId === undefined)
      throw new Error(
        `${user} has no valid id-token, and the auth-provider has no refresh-token, idp-issuer-url or client-id; log in again`,
      );
    try {
      const secret = textOf(config, 'client-secret');
      const ca = bytesOf(config, 'idp-certificate-authority');
      const options = { [customFetch]: fetchTrusting(ca) };
      const provider = await discovery(new URL(issuer), clientId, secret, undefined, options);
      const renewed = await refreshTokenGrant(provider, newest.get(refreshToken) ?? refreshToken);
      if (renewed.refresh_token) newest.set(refreshToken, renewed.refresh_token);
      idToken = renewed.id_token;
    } catch (cause) {
      const why = textAt(cause, 'error') ?? textAt(cause, 'code') ?? 'unknown error';
      throw new Error(`the identity provider of ${user} gave no token (${why}); log in again`);
    }
    if (idToken !== undefined) return idToken;
    throw new Error(`the identity provider of ${user} gave no ID token; log in again`);
  };
}

/** Returns the expiry of a token in milliseconds since the epoch; 0 without a claim `exp`. */
function expiryOf(token: string): number {
  const [, payload = ''] = token.split('.');
  const exp = valueAt(parseJson(Buffer.from(payload, 'base64url').toString()), 'exp');
  return typeof exp === 'number' ? exp * 1000 : 0;
}

/** Returns a `fetch` that, unlike Node's own, trusts this certificate authority and uses the environment's proxy. */
const fetchTrusting =
  (ca: Buffer | undefined): CustomFetch =>
  async (url, { headers, body }) => {
    const given = { ms: 10_000, headers, body: body?.toString(), tls: present({ ca }) };
    const response = await askService(url, given);
    return new Response(response.body.toString(), {
      status: response.code,
      headers: { 'content-type': String(response.headers['content-type'] ?? '') },
    });
  };
