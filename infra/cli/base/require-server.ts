import { UnreachableError } from '../../../shared/cluster/errors.ts';
import { CommandError } from './errors.ts';
import { askWhetherStarted, isOfNpmStart } from './kubeconfig.ts';
import { CertificateError, whyUnanswered } from './no-answer.ts';
import { probeFor, timeoutMs } from './probe.ts';
import { type Operator, placeOf } from './session.ts';
import type { Terminal } from './terminal.ts';

/**
 * Asks the API server for its version: without an answer, or a known user, every list would report the
 * same.
 */
export async function requireServer(
  operator: Operator,
  terminal: Pick<Terminal, 'localKubeconfig'>,
): Promise<void> {
  const { context, credentials } = operator;
  const { code, message } = await probeFor(credentials)({ path: '/version' }).catch((error) => {
    if (error instanceof CertificateError)
      throw new CommandError(`${error.message}; ${error.remedy}`);
    if (!(error instanceof UnreachableError)) throw error;
    const why = whyUnanswered(error.cause, timeoutMs);
    throw new CommandError(
      `no answer from the API server ${credentials.server} (${why}); ${
        context !== undefined && isOfNpmStart(context, terminal)
          ? askWhetherStarted
          : 'is it running and reachable from here?'
      }`,
    );
  });
  if (code === 401)
    throw new CommandError(
      `the API server (${placeOf(operator)}) does not know the user: ${message}\nLog in to the cluster again, or choose another --context.`,
    );
}
