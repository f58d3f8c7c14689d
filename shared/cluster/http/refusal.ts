import { parseJson, present, textAt, valueAt } from '../../json.ts';
import type { Status } from '../../kubernetes.ts';
import { KubeError } from '../cluster-errors.ts';
import type { Received } from './exchange.ts';

/** Returns the error for a response of 400 or more, whose body is a Status or, as for some 429s, plain text. */
export function refusal(
  { what, authorization }: { readonly what: string; readonly authorization: string | undefined },
  { code, headers, body }: Omit<Received, 'bytes'>,
): KubeError {
  const text = body.toString();
  const mask = echoMask(authorization);
  const status = parseStatus(text, mask) ?? {
    message: mask(text).trim().slice(0, 200),
    reason: reasonOf(code),
  };
  const after = Number(headers['retry-after']);
  const seconds = Number.isFinite(after) && after > 0 ? after : status.details?.retryAfterSeconds;
  const retryAfter = seconds && seconds * 1000;
  return new KubeError(what, { code, status, ...present({ retryAfter }) });
}

/** Parses a Status, without fields of a wrong type; undefined for any other text. */
function parseStatus(text: string, mask: (text: string) => string): Partial<Status> | undefined {
  const status = parseJson(text);
  if (textAt(status, 'kind') !== 'Status') return undefined;
  const pick = (value: unknown, ...names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const found = textAt(value, name);
        return found === undefined ? [] : [[name, mask(found)]];
      }),
    );
  const details = valueAt(status, 'details');
  const causes = valueAt(details, 'causes');
  const seconds = valueAt(details, 'retryAfterSeconds');
  return {
    ...pick(status, 'reason', 'message'),
    details: {
      ...pick(details, 'name', 'group', 'kind'),
      causes: Array.isArray(causes)
        ? causes.map((one) => pick(one, 'reason', 'field', 'message'))
        : [],
      ...present({ retryAfterSeconds: typeof seconds === 'number' ? seconds : undefined }),
    },
  };
}

const reasonOf = (code: number): string =>
  ({ 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 429: 'TooManyRequests' })[code] ??
  `HTTP ${code}`;

/** Masks the request's credentials in the response, because errors go to logs, Events and terminals. */
function echoMask(authorization: string | undefined): (text: string) => string {
  const secrets = [...new Set(secretsIn(authorization ?? ''))]
    // Shorter ones occur in ordinary words.
    .filter(({ length }) => length >= 4)
    // Masks long ones first, because a short one may be part of a long one.
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '[masked]'), text);
}

function secretsIn(authorization: string): readonly string[] {
  const [scheme = '', ...rest] = authorization.trim().split(/\s+/);
  const token = rest.join(' ');
  const sent = [token, encodeURIComponent(token)];
  if (scheme.toLowerCase() !== 'basic') return sent;
  const decoded = Buffer.from(token, 'base64').toString();
  const password = decoded.slice(decoded.indexOf(':') + 1);
  return [...sent, decoded, password, encodeURIComponent(password)];
}
