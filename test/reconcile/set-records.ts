import { defaultIdentity } from '../../shared/identity.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';
import type { LastApplied } from '../../shared/plan/observed/applied.ts';
import type { Api } from '../scenarios/api.ts';

/** Changes the records in a status as if a run had written them. */
export async function setRecords(
  api: Api,
  type: ResourceType,
  name: string,
  changes: Partial<LastApplied>,
): Promise<void> {
  const { status } = await api.get(type, name);
  const lastApplied = { ...(status?.lastApplied as LastApplied | undefined), ...changes };
  await api.applyStatus(type, name, { status: { ...status, lastApplied } }, defaultIdentity.name);
}
