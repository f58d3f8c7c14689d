import { install } from '../../infra/local/install.ts';
import { foo } from '../../shared/kinds/foo.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { createLog } from '../../shared/log.ts';
import type { Report } from '../../shared/reconcile/report.ts';
import { namespaceType, runner, type Settings } from '../reconcile/engine.ts';
import { type Api, applyManifest, openApi } from '../scenarios/api.ts';
import { startDirectCluster } from './direct.ts';

/** Where races are run: a fresh namespace each, controllers that act when they are told to. */
export interface Arena {
  open(): Promise<Ground>;
  /** Garbage collector and Deployment controller do what there is to do. */
  settle(): Promise<void>;
  stop(): void;
}

export interface Ground {
  readonly api: Api;
  run(settings?: Pick<Settings, 'through'>): Promise<Report>;
  close(): Promise<void>;
}

export async function openArena(): Promise<Arena> {
  const { client, connection, controllers, stop } = startDirectCluster();
  await install((path, manifest) => applyManifest(client, path, manifest as JsonObject), {
    user: 'engine',
    samples: false,
  });
  const run = runner({
    connection,
    clock: () => new Date(),
    log: createLog(() => undefined, 'ERROR'),
  });
  const admin = openApi(client);
  let grounds = 0;
  const settle = async (): Promise<void> => {
    controllers.resume();
    await controllers.settled();
    controllers.pause();
  };
  return {
    settle,
    stop,
    async open() {
      const namespace = `race-${++grounds}`;
      await admin.create(namespaceType, namespace, {});
      return {
        api: openApi(client, namespace),
        run: (settings) => run({ namespace }, { kinds: [foo], ...settings }),
        async close() {
          await admin.remove(namespaceType, namespace);
          await settle();
        },
      };
    },
  };
}
