import { failedInside, forbiddenRequest, notFound } from '../errors/api-errors.ts';
import { goQuote } from '../go/print.ts';
import { textAt } from '../json/value.ts';
import { pathSegment } from '../objects/names.ts';
import type { ServerState } from '../resources/server-state.ts';
import { subjectOf, type Target } from '../resources/target.ts';

/** Refuses to create an object in a namespace that is missing (404) or terminating (403). */
export function admitToNamespace({ store }: ServerState, target: Target): void {
  const { namespace } = target;
  if (namespace === '') return;
  const problems = pathSegment(namespace);
  if (problems.length > 0) {
    throw failedInside(`invalid resource name ${goQuote(namespace)}: [${problems.join(' ')}]`);
  }
  const stored = store.get('namespaces', '', namespace);
  if (stored === undefined) {
    throw notFound({ group: '', plural: 'namespaces', name: namespace });
  }
  const terminating =
    textAt(JSON.parse(stored.body).metadata, 'deletionTimestamp') !== '' ||
    stored.fields['status.phase'] === 'Terminating';
  if (!terminating) return;
  throw forbiddenRequest(
    subjectOf(target),
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}
