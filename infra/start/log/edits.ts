import { type AuditRecord, readAuditEvent } from '../../../shared/audit/record.ts';
import { suspendAnnotation } from '../../../shared/kinds/names.ts';
import {
  apiVersionOf,
  commandLineName,
  type KubeObject,
  type ResourceType,
} from '../../../shared/kubernetes.ts';

interface EditsOptions {
  readonly api: string;
  /** The functions' user. Its writes are omitted, because the functions report them. */
  readonly user: string;
  readonly kinds: () => readonly ResourceType[];
  readonly say: (who: string, text: string) => void;
}

/** Reports from audit events who created, edited, suspended or deleted a resource. */
export function narrateEdits(options: EditsOptions): (event: unknown) => void {
  const suspended = new Set<string>();
  return (event) => {
    const record = readAuditEvent(event);
    if ('dropped' in record || record.failed || record.dryRun) return;
    const { group, plural, subresource, name = '', user } = record;
    const kind = options.kinds().find((one) => one.group === group && one.plural === plural);
    const isOurs = user === options.user || user.startsWith('system:');
    if (kind === undefined || subresource === 'status' || isOurs || name === '') return;
    void describe(record, { ...options, kind, suspended }).then((done) => {
      const { namespace } = record;
      const where = namespace === undefined || namespace === 'default' ? '' : ` in ${namespace}`;
      const object = commandLineName({ apiVersion: apiVersionOf(kind), kind: kind.kind, name });
      options.say('user', `${object}${where} ${done} by ${user}${agentOf(record)}`);
    });
  };
}

const agentOf = ({ userAgent = '' }: AuditRecord): string => {
  const [agent = ''] = userAgent.split('/');
  return agent === '' ? '' : ` with ${agent}`;
};

interface EditContext extends EditsOptions {
  readonly kind: ResourceType;
  /** The resources that were suspended when they were last read. */
  readonly suspended: Set<string>;
}

async function describe(
  { verb, namespace, name = '' }: AuditRecord,
  { api, kind, suspended }: EditContext,
): Promise<string> {
  const key = `${kind.plural} ${namespace} ${name}`;
  if (verb === 'delete' || verb === 'deletecollection') {
    suspended.delete(key);
    return 'deleted';
  }
  const namespacePath = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const url = `${api}/apis/${apiVersionOf(kind)}${namespacePath}/${kind.plural}/${name}`;
  const done = verb === 'create' ? 'created' : 'edited';
  const live = await fetch(url)
    .then(async (response) => (await response.json()) as Partial<KubeObject>)
    .catch(() => undefined);
  if (!live) return done;
  const isSuspended = live.metadata?.annotations?.[suspendAnnotation] === 'true';
  const was = suspended.has(key);
  if (isSuspended) suspended.add(key);
  else suspended.delete(key);
  if (isSuspended !== was) return isSuspended ? 'suspended' : 'resumed';
  return done;
}
