import type { AuditEvent } from '../api-server/audit/event.ts';
import type { ApiServer } from '../api-server/dispatch/api-server.ts';
import { type Autoscale, autoscaler } from './autoscaler.ts';
import { claimController } from './claim.ts';
import { controllerClient, isRefused } from './client.ts';
import type { ControllerContext } from './controller.ts';
import { daemonSetController } from './daemon-set.ts';
import { deploymentController } from './deployment.ts';
import { disruptionBudgetController } from './disruption-budget.ts';
import { garbageCollector } from './garbage-collection/garbage-collector.ts';
import { jobController } from './job.ts';
import { namespaceController } from './namespace.ts';
import { protection } from './protection.ts';
import { statefulSetController } from './stateful-set.ts';
import { timeToLiveController } from './time-to-live.ts';
import { createWork, type Work } from './work.ts';

/** The controllers of the cluster. */
export interface Controllers extends Pick<Work, 'pause' | 'resume' | 'settled'> {
  /** Scales the target of an autoscaler, within its bounds, as metrics would. */
  readonly autoscale: Autoscale;
}

export interface ControllersOptions {
  readonly paused: boolean;
  readonly podsReadyAfterMs: number;
  readonly onAudit: (event: AuditEvent) => void;
  readonly onError: (error: unknown) => void;
}

/** Starts the controllers, which follow the store from then on. */
export function startControllers(
  server: ApiServer,
  { paused, podsReadyAfterMs, onAudit, onError }: ControllersOptions,
): Controllers & { readonly stop: () => void } {
  const reportUnlessRefused = (error: unknown): void => {
    if (!isRefused(error)) onError(error);
  };
  const work = createWork(reportUnlessRefused, { paused });
  const context: ControllerContext = {
    server,
    work,
    podsReadyAfterMs,
    client: (controller) => controllerClient(server, controller, onAudit),
  };
  const scaling = autoscaler(context);
  const controllers = [
    garbageCollector(context),
    namespaceController(context),
    deploymentController(context),
    statefulSetController(context),
    claimController(context),
    daemonSetController(context),
    jobController(context),
    timeToLiveController(context),
    disruptionBudgetController(context),
    ...protection(context),
    scaling,
  ];
  const unsubscribe = server.store.subscribe((change) => {
    for (const { onChange } of controllers) onChange(change);
  });
  return {
    pause: () => work.pause(),
    resume: () => work.resume(),
    settled: () => work.settled(),
    autoscale: scaling.autoscale,
    stop: () => {
      unsubscribe();
      work.stop();
    },
  };
}
