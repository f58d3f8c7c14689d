import { failedInside, forbiddenRequest, notFound } from '../errors/errors.ts';
import { goQuote } from '../objects/go-print.ts';
import { pathSegment } from '../objects/names.ts';
import { textAt } from '../objects/object.ts';
import type { ApiServer } from '../server.ts';
import { subjectOf, type Target } from './target.ts';

/** Refuses to create in a namespace that is missing (404) or on its way out (403). */
export const admitToNamespace = ({ store }: ApiServer, target: Target): void => {
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
};
