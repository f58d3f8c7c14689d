import { CredentialsError, KubeError, messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { ConfigError } from '../../../shared/environment.ts';
import { UnreadableRecordingError } from '../../recordings/errors.ts';
import { NoResponseError } from './probe.ts';

export const exitCodes = { done: 0, failed: 1, usage: 2, changes: 3 } as const;

/** Reports an invalid command line, file or configuration, and says what is valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reports why a command failed, usually with a remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

const usageErrors = [UsageError, ConfigError, UnreadableRecordingError];

export const exitCodeOf = (error: unknown): number =>
  usageErrors.some((type) => error instanceof type) ? exitCodes.usage : exitCodes.failed;

/** Omits `CLUSTER_CONTEXT: ` from messages about credentials, because the context may be from an option. */
export const messageFor = (error: unknown): string =>
  messageOf(error instanceof CredentialsError ? (error.cause ?? error) : error);

export function describeError(error: unknown): string {
  const message = messageFor(error);
  const remedy = remedyOf(error);
  return remedy === undefined ? message : `${message}\n${remedy}`;
}

const remedies: Readonly<Record<string, string>> = {
  Unauthorized: 'Log in to the cluster again, or choose another --context.',
  Forbidden:
    'Grant the missing permission to the user of this context, or choose another --context; if no permission is missing, a quota or an admission policy refused the request. `generate rbac` prints the permissions of the functions; `rollout pause` and `rollout resume` also need patch on CRDs.',
  NotFound: 'Check the name, and that the CRD is installed (`generate crds` prints it).',
  Conflict: 'Other writers keep changing the object: try again.',
  Invalid: 'The API server refused the value: correct it as the message says.',
};

/** `unreachable` is the remedy if the server does not respond. */
export function remedyOf(error: unknown, unreachable?: string): string | undefined {
  if (error instanceof NoResponseError) return error.remedy ?? unreachable;
  if (error instanceof CredentialsError)
    return 'Correct this, or choose another cluster with --context NAME or --kubeconfig FILE; they override CLUSTER_ENDPOINT.';
  if (error instanceof KubeError)
    return Object.hasOwn(remedies, error.reason) ? remedies[error.reason] : undefined;
  return undefined;
}
