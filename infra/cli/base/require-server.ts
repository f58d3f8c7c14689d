import { UnreachableError } from '../../../shared/cluster/errors.ts';
import { CommandError } from './errors.ts';
import { askWhetherStarted, isOfNpmStart } from './kubeconfig.ts';
import { CertificateError, probeFor, timeoutMs, whyUnanswered } from './probe.ts';
import { placeOf, type Session } from './session.ts';

/** Asks the API server for its version: one error instead of one for each list. */
export async function requireServer(session: Session): Promise<void> {
  const { context, credentials, terminal } = session;
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
      `the API server (${placeOf(session)}) does not know the user: ${message}\nLog in to the cluster again, or choose another --context.`,
    );
}
