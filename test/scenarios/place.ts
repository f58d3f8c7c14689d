import { present } from '../../shared/json.ts';
import type { KubeObject, ResourceType } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import type { ReconcileRequest } from '../../shared/reconcile-request.ts';
import type { Report } from '../../shared/resync/report.ts';
import { kinds } from '../support/config.ts';
import { childTypes } from '../support/observe.ts';
import { type Api, isSettled, openApi } from './api.ts';
import { configMap, namespaceType } from './built-in-kinds.ts';
import { eventually } from './eventually.ts';
import type { Write } from './journal.ts';
import type { Stage } from './stage.ts';
import { reconciler } from './test-cluster.ts';

/** The namespace of one scenario, with actions and observations there. */
export interface Place {
  readonly stage: Stage;
  readonly namespace: string;
  readonly api: Api;
  /** Resyncs only this namespace. */
  resync(): Promise<Report>;
  /**
   * Resyncs until a resync writes nothing and nothing is in progress. If all resources here are Ready, that resync has
   * nothing to do.
   */
  converge(): Promise<void>;
  /** Delivers writes in this namespace to the audit function from now on. */
  listen(): void;
  events(name: string, reason?: string): Promise<readonly KubernetesEvent[]>;
  /** Returns the resourceVersion of every object here, by kind and name; equal results mean no write. */
  versions(): Promise<Readonly<Record<string, string>>>;
  /** Lists the reconciler's writes here, for one resource such as `foos/status` or for all. */
  writes(resource?: string): Promise<readonly Write[]>;
  /** Lists the reconciler's writes here that the server refused. */
  refusals(resource: string): Promise<readonly Write[]>;
  /** Resolves once the audit log is complete up to now and has been delivered. */
  caughtUp(): Promise<void>;
  /** Lists the log lines of the audit function about runs over this namespace. */
  runs(): readonly Readonly<Record<string, unknown>>[];
  /** Lists warnings and errors of the functions about this namespace. */
  complaints(): readonly string[];
  /** Waits until an object no longer exists. */
  gone(type: ResourceType, name: string): Promise<void>;
  another(): Promise<Place>;
}

/** Scenarios by title, which begins with the id of the row. Each gets its own namespace. */
export type Scenarios = Readonly<Record<string, (place: Place) => Promise<void>>>;

export interface KubernetesEvent extends KubeObject {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export async function openPlace(stage: Stage, namespace: string): Promise<Place> {
  const { admin, functions, journal } = stage;
  await openApi(admin).create(namespaceType, namespace, {});
  const api = openApi(admin, namespace);
  const resync = (): Promise<Report> => functions.resync({ namespace });
  let others = 0;
  let markers = 0;

  /** Waits twice, because a kube-apiserver sends batches of its audit log concurrently. */
  async function catchUp(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) {
      const name = `marker-${++markers}`;
      await api.create(configMap, name, {});
      await eventually(() => {
        const isLogged = journal.writes.some(
          (write) => write.namespace === namespace && write.name === name,
        );
        if (!isLogged) throw new Error(`the audit log has no entry for ConfigMap ${name}`);
      });
    }
  }

  const ownWrites = (resource?: string): readonly Write[] =>
    journal.writes.filter(
      (write) =>
        write.namespace === namespace &&
        write.user === reconciler &&
        (resource === undefined || write.resource === resource),
    );

  return {
    stage,
    namespace,
    api,
    resync,
    converge: () =>
      eventually(async () => {
        const { outcomes, statusWrites, incomplete, resources } = await resync();
        const written = outcomes.created + outcomes.updated + outcomes.deleted + statusWrites;
        if (incomplete.length > 0 || written > 0)
          throw new Error(
            `still writing: ${JSON.stringify({ outcomes, statusWrites, incomplete })}`,
          );
        const all = (await Promise.all(kinds.map((kind) => api.list(kind)))).flat();
        const busy = all.find(({ status }) =>
          status?.conditions?.some(({ type }) => type === 'Reconciling'),
        );
        if (busy !== undefined) throw new Error(`still under way: ${JSON.stringify(busy.status)}`);
        if (all.every(isSettled) && resources.reconciled > 0)
          throw new Error(`a run at rest has something to do: ${JSON.stringify(all)}`);
      }),
    listen: () => void stage.audited.add(namespace),
    async events(name, reason) {
      const fields = { 'involvedObject.name': name, ...present({ reason }) };
      const fieldSelector = Object.entries(fields)
        .map(([field, value]) => `${field}=${value}`)
        .join(',');
      const events = (await api.list(eventType, {
        fieldSelector,
      })) as unknown as (KubernetesEvent & {
        readonly source?: { readonly component?: string };
      })[];
      return events.filter(({ source }) => source?.component === 'serverless-reconciler');
    },
    async versions() {
      const types = [...kinds, ...childTypes];
      const found = await Promise.all(types.map((type) => api.list(type)));
      return Object.fromEntries(
        found.flatMap((list, at) =>
          list.map(({ metadata }) => [
            `${types[at]?.kind} ${metadata.name}`,
            metadata.resourceVersion,
          ]),
        ),
      );
    },
    async writes(resource) {
      await catchUp();
      return ownWrites(resource).filter(({ code }) => code < 300);
    },
    async caughtUp() {
      await catchUp();
      await stage.relay.idle();
    },
    async refusals(resource) {
      await catchUp();
      return ownWrites(resource).filter(({ code }) => code >= 300);
    },
    runs: () =>
      journal.lines
        .filter(({ function: source, message }) => source === 'audit' && message === 'resynced')
        .map(({ fields }) => fields)
        .filter(({ reconcileRequests }) =>
          (reconcileRequests as readonly ReconcileRequest[]).some(
            (one) => one.namespace === namespace,
          ),
        ),
    complaints: () =>
      journal.lines
        .filter(({ severity }) => severity !== 'INFO' && severity !== 'DEBUG')
        .filter(({ fields }) => JSON.stringify(fields).includes(` ${namespace}/`))
        .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`),
    async gone(type, name) {
      await stage.garbageCollected();
      await eventually(async () => {
        if ((await api.find(type, name)) !== undefined)
          throw new Error(`${type.kind} ${name} is still there`);
      });
    },
    another: () => openPlace(stage, `${namespace}-${++others + 1}`),
  };
}
