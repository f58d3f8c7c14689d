import { randomUUID } from 'node:crypto';
import { qualifiedName } from '../../shared/kubernetes.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import type { ReconcileRequest } from '../../shared/reconcile-request.ts';
import type { Run } from '../../shared/run/run.ts';
import { apply } from '../actions/apply.ts';
import { impactTotals } from '../actions/impact-text.ts';
import { previewOptions } from '../actions/preview-options.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import { describeStaleness, storedPreview } from '../actions/stale-plan.ts';
import { type DashboardTarget, during } from './dashboard-target.ts';
import type { PlanView, RunView } from './views.ts';

const maxPlans = 50;

/** Keeps the latest plans, so that the user can apply what the page showed. */
export function openPlans(target: DashboardTarget) {
  const shown = new Map<string, { readonly request: ReconcileRequest } & PlanView>();
  const preview = (run: Run, request: ReconcileRequest) =>
    previewRun(run, [request], previewOptions(target.config));
  return {
    async plan(request: ReconcileRequest): Promise<PlanView> {
      const seen = await during(target, (run) => preview(run, request));
      const { preview: planned } = seen;
      const view = { id: randomUUID(), impact: impactTotals(planned), preview: planned };
      shown.set(view.id, { request, ...view });
      for (const old of [...shown.keys()].slice(0, -maxPlans)) shown.delete(old);
      return view;
    },
    async apply(id: string) {
      const known = shown.get(id);
      if (known === undefined)
        throw new RefusedActionError('the dashboard no longer has this plan: plan again');
      shown.delete(id);
      const { config } = target;
      if (config.dryRun) throw new RefusedActionError('DRY_RUN is true: unset it to apply plans');
      const report = await during(target, async (run) => {
        const seen = await preview(run, known.request);
        const changes = describeStaleness(storedPreview(known.preview), seen.preview);
        if (changes.length > 0)
          throw new RefusedActionError(
            `the plan is stale, so nothing was written: ${changes.join('; ')}`,
          );
        return apply(run, seen, config);
      });
      return { report, changes: changesIn(known) };
    },
  };
}

const changesIn = ({ preview }: PlanView): RunView['changes'] =>
  preview.resources.flatMap(({ kind, namespace, name, actions }) =>
    actions.map(({ verb, child }) => ({
      of: `${kind} ${qualifiedName(namespace, name)}`,
      text: `${verb} ${child.kind} ${child.name}`,
    })),
  );
