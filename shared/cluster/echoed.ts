/**
 * Masks credentials in a server's answer: it may echo those it was sent, and errors go to logs, Events
 * and terminals. Takes the Authorization header that was sent.
 */
export function echoMask(authorization: string | undefined): (text: string) => string {
  const secrets = [...new Set(secretsIn(authorization ?? ''))]
    .filter(({ length }) => length >= leastSecret)
    // The longest first: one may be a part of another.
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '[masked]'), text);
}

/** Shorter ones would take ordinary words out of the text. */
const leastSecret = 4;

function secretsIn(authorization: string): readonly string[] {
  const [scheme = '', ...rest] = authorization.trim().split(/\s+/);
  const token = rest.join(' ');
  const sent = [token, encodeURIComponent(token)];
  if (scheme.toLowerCase() !== 'basic') return sent;
  const decoded = Buffer.from(token, 'base64').toString();
  const password = decoded.slice(decoded.indexOf(':') + 1);
  return [...sent, decoded, password, encodeURIComponent(password)];
}
