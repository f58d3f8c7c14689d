import type { Kind } from '../../shared/kinds/kind.ts';
import type { Report } from '../../shared/resync/report.ts';
import { foo } from '../../systems/foo.ts';
import { namespaceType, type Settings } from '../reconcile/engine.ts';
import type { Api } from '../scenarios/api.ts';
import { openDirectEngine } from './direct-engine.ts';

/** Runs races in a fresh namespace each, with controllers that act on request. */
export interface Testbed {
  open(): Promise<TestNamespace>;
  /** Runs the garbage collector and the workload controllers. */
  settle(): Promise<void>;
  stop(): void;
}

export interface TestNamespace {
  readonly api: Api;
  /** Accesses objects in no namespace. */
  readonly admin: Api;
  run(settings?: Partial<Settings>): Promise<Report>;
  /**
   * Runs without a request over its whole area, which is this namespace; `run` selects the namespace by a
   * request.
   */
  runAll(settings?: Partial<Settings>): Promise<Report>;
  close(): Promise<void>;
}

export interface TestbedOptions {
  readonly kinds?: readonly Kind[];
  /** Receives every line that a run logs, at any level. */
  readonly onLog?: (line: string) => void;
}

export async function openTestbed({ kinds = [foo], onLog }: TestbedOptions = {}): Promise<Testbed> {
  const { cluster, admin, place, run } = await openDirectEngine(onLog, kinds);
  const { controllers } = cluster;
  const settle = async (): Promise<void> => {
    controllers.resume();
    await controllers.settled();
    controllers.pause();
  };
  return {
    settle,
    stop: cluster.stop,
    async open() {
      const { api, namespace, resync } = await place(kinds);
      return {
        api,
        admin,
        run: resync,
        runAll: (settings) => run({}, { kinds, namespaces: [namespace], ...settings }),
        async close() {
          // Lets the controllers finish, because they could create nothing in a namespace that is being deleted.
          await settle();
          await admin.remove(namespaceType, namespace);
          await settle();
        },
      };
    },
  };
}
