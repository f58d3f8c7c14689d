import { present } from '../../shared/json.ts';
import { isOfType } from '../../shared/kubernetes.ts';
import type { LawFailure } from '../failure.ts';
import { reconcilerUser } from '../open-test-environment.ts';
import type { RehearsedResource } from '../rehearse.ts';
import { RefusedError } from '../user.ts';
import type { Disturbance } from './sequence.ts';
import { liveChildren } from './state.ts';

/** More requests than any run sends. */
const manyTimes = 1000;
/** One request gets 500 five times and fails. The next request gets 500 once and succeeds at its second try. */
const serverErrors = 6;

/** Injects faults, or an edit before a request, until the returned function is called. `edit` makes the next edit. */
export async function disturb(
  subject: RehearsedResource,
  how: Disturbance,
  edit: () => Promise<unknown>,
): Promise<() => void> {
  const { env } = subject;
  if ('dies' in how) {
    const { dies: nth, when } = how;
    const last = env.fail({ nth, times: 1, lost: when === 'before' ? 'request' : 'response' });
    const rest = env.fail({ nth: nth + 1, times: manyTimes, lost: 'request' });
    return () => {
      last();
      rest();
    };
  }
  if ('overtaken' in how) {
    let seen = 0;
    return env.cluster.intercept(async ({ user }) => {
      if (user !== reconcilerUser || ++seen !== how.overtaken) return;
      await edit();
    });
  }
  if ('refused' in how)
    return env.fail({ verb: 'patch', nth: how.refused, times: serverErrors, status: 500 });
  if ('unlisted' in how) return failing(subject, how.unlisted, { verb: 'list', status: 503 });
  if ('unserved' in how) return failing(subject, how.unserved, { status: 404 });
  if ('annotated' in how) await annotate(subject);
  return () => undefined;
}

/** Causes requests for the child type `kind.owns[at]` to fail until the returned function is called. */
function failing(
  { env, kind }: RehearsedResource,
  at: number,
  how: Omit<LawFailure, 'resource'>,
): () => void {
  const type = kind.owns[at];
  return type === undefined ? () => undefined : env.fail({ ...how, resource: type });
}

/** Sets an annotation on every child, as a webhook or a person might. */
export async function annotate(subject: RehearsedResource): Promise<void> {
  const { env, kind } = subject;
  const body = { metadata: { annotations: { 'example.org/injected': 'yes' } } };
  for (const live of await liveChildren(subject)) {
    const type = kind.owns.find((one) => isOfType(live, one));
    const { name, namespace } = live.metadata;
    if (type === undefined) continue;
    const where = present({ namespace });
    await env
      .patch(type, name, { body, manager: 'admission', ...where })
      .catch((error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
      });
  }
}
