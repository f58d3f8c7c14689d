import { isFields, type JsonFields, present } from '../../json.ts';
import type { Status, StatusCause } from '../../kubernetes.ts';
import { KubeError } from '../cluster-errors.ts';
import type { Received } from './exchange.ts';

interface Refused {
  readonly what: string;
  /** The Authorization header that was sent. */
  readonly authorization: string | undefined;
}

/** Returns the error for a status code of 400 or more. The body may be a Status or plain text, as for 429. */
export function refusal(
  { what, authorization }: Refused,
  { code, headers, body }: Omit<Received, 'bytes'>,
): KubeError {
  const mask = echoMask(authorization);
  const text = body.toString();
  const after = Number(headers['retry-after']);
  const status = parseStatus(text, mask) ?? {
    message: mask(text).trim().slice(0, 200),
    reason: reasonOf(code),
  };
  const seconds = Number.isFinite(after) && after > 0 ? after : status.details?.retryAfterSeconds;
  return new KubeError(what, {
    code,
    status,
    ...present({ retryAfter: seconds && seconds * 1000 }),
  });
}

function parseStatus(text: string, mask: (text: string) => string): Partial<Status> | undefined {
  try {
    const value: unknown = JSON.parse(text, (_, one: unknown) =>
      typeof one === 'string' ? mask(one) : one,
    );
    return isFields(value) && value.kind === 'Status' ? wellFormed(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps those fields of a Status that have the right type. */
function wellFormed({ reason, message, details }: JsonFields): Partial<Status> {
  const { kind, causes, retryAfterSeconds } = isFields(details) ? details : {};
  return {
    ...textsOf({ reason, message }),
    details: {
      ...textsOf({ kind }),
      causes: Array.isArray(causes) ? causes.filter(isFields).map(causeOf) : [],
      ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
    },
  };
}

const causeOf = ({ reason, field, message }: JsonFields): StatusCause =>
  textsOf({ reason, field, message });

const textsOf = (fields: JsonFields): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  );

const reasonOf = (code: number): string =>
  ({ 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 429: 'TooManyRequests' })[code] ??
  `HTTP ${code}`;

/**
 * Returns a function that masks credentials in a server's answer. The answer may echo the Authorization
 * header, and errors go to logs, Events and terminals.
 */
function echoMask(authorization: string | undefined): (text: string) => string {
  const secrets = [...new Set(secretsIn(authorization ?? ''))]
    .filter(({ length }) => length >= leastSecret)
    // Masks the longest first, because one may be part of another.
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '[masked]'), text);
}

/** Minimum length of a secret to mask, because shorter ones are ordinary words. */
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
