import { isNamed, type Kind } from '../../../shared/kinds/kind.ts';
import { groupResource } from '../../../shared/kubernetes.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { lostValues } from '../base/lost-values.ts';
import { probeFor } from '../base/probe.ts';
import type { Session } from '../base/session.ts';

/** The values that stored resources of a kind lose once its CRD is installed. */
export interface FieldLoss {
  /** `boxes.example.com` */
  readonly kind: string;
  readonly text: string;
}

/** Compares the CRDs of the requested kinds with the installed ones; skips those that cannot be read. */
export async function fieldLosses(
  { credentials, config: { kinds, namespaces } }: Session,
  { kind: requested }: ReconcileRequest,
): Promise<readonly FieldLoss[]> {
  const probe = probeFor(credentials);
  const ofKind = async (kind: Kind): Promise<readonly FieldLoss[]> => {
    const id = groupResource(kind);
    const { code, value } = await probe({
      path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${id}`,
    });
    if (code !== 200) return [];
    const lost = await lostValues(probe, kind, { definition: value, namespaces });
    return lost.map((text) => ({ kind: id, text }));
  };
  const chosen = kinds.filter((kind) => requested === undefined || isNamed(kind, requested));
  return (await Promise.all(chosen.map(ofKind))).flat();
}
