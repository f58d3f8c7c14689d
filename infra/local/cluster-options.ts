import type { AuditEvent } from './api-server/audit/event.ts';
import type { Tokens } from './api-server/authentication/authenticate.ts';
import {
  aFunction,
  assertFields,
  aText,
  oneOf,
  optional,
  type Rule,
  wholeNumber,
} from './api-server/faults/option-rules.ts';

/** The options of `startLocalCluster`; an unknown option or an invalid value is an error that names it. */
export interface LocalClusterOptions {
  /** Port to listen on; default: 0, which picks a free port. */
  readonly port?: number;
  /** Users by bearer token; without a token the caller is the administrator. */
  readonly tokens?: Tokens;
  /** Receives an audit Event for each request that changes something. */
  readonly onAudit?: (event: AuditEvent) => void;
  /** Default: `running`. While paused, no workload becomes ready and no garbage is collected. */
  readonly controllers?: 'running' | 'paused';
  /** Called whenever a time is recorded; default: the system clock. */
  readonly clock?: () => Date;
  /** Called for the uid of each new object; default: a random uid. */
  readonly uid?: () => string;
  /** Time until a changed workload's pods are ready; default: 0. */
  readonly podsReadyAfterMs?: number;
  /** Receives the errors of controllers, each of which is a bug; default: they are thrown. */
  readonly onError?: (error: unknown) => void;
}

const users: Rule = [
  'users by token, as { token: { username } }',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
];
const texts: Rule = [
  'a list of strings',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
];

const options: Readonly<Record<keyof LocalClusterOptions, Rule>> = {
  port: optional(wholeNumber(0, 65_535)),
  tokens: optional(users),
  onAudit: optional(aFunction),
  controllers: optional(oneOf('running', 'paused')),
  clock: optional(aFunction),
  uid: optional(aFunction),
  podsReadyAfterMs: optional(wholeNumber(0, 2 ** 31 - 1)),
  onError: optional(aFunction),
};

/** Throws an OptionError that names the option, the value and what is valid. */
export function assertOptions(given: LocalClusterOptions): void {
  assertFields('startLocalCluster', given, options);
  for (const [token, user] of Object.entries(given.tokens ?? {})) {
    // Does not show tokens, which are secret.
    const place = `startLocalCluster.tokens[${token.slice(0, 3)}…]`;
    assertFields(place, user, { username: aText, groups: optional(texts) });
  }
}
