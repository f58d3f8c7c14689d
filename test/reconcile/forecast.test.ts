import { describe, expect, it } from 'vitest';
import { type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import { forecast } from '../../shared/preview/forecast.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { fooDeployment, websiteDeployment, websiteService } from '../support/children.ts';
import { ref } from '../support/decisions.ts';
import { edited } from '../support/edits.ts';
import { observeResource } from '../support/observe.ts';
import { planWithResults } from '../support/plan-with-results.ts';
import { foo, website } from '../support/resources.ts';
import { worldOf } from '../support/worlds.ts';

interface Options {
  readonly prune?: boolean;
}

function foresee(
  about: Pick<World, 'kind' | 'resource'>,
  live: readonly KubeObject[],
  { prune = true }: Options = {},
) {
  const { planned, world } = planWithResults({ ...about, ...worldOf(...live) }, live);
  if (planned.state !== 'planned') throw new Error(`the plan is ${planned.state}`);
  const found = forecast(planned, world, { known: new Map(), prune: () => prune });
  return {
    verbs: found.decisions.map(({ verb, child }) => `${verb} ${child.kind} ${child.name}`),
    results: [...found.outcomes.values()].map(({ result }) => result),
    children: found.world.children,
  };
}

const aWebsite = { kind: websiteKind, resource: observeResource(website()) };
const deploymentKey = keyOf(ref('Deployment', 'website-sample'));

describe('the forecast of a run', () => {
  it('contains the children that the run creates, as ours and not ready yet', () => {
    const fresh = { kind: websiteKind, resource: observeResource(website({ status: undefined })) };
    const { verbs, results, children } = foresee(fresh, []);
    expect(verbs).toEqual(['create Deployment website-sample', 'create Service website-sample']);
    expect(results).toEqual(['created', 'created']);
    expect(children.get(deploymentKey)).toMatchObject({
      controller: fresh.resource.uid,
      readiness: { state: 'InProgress' },
    });
  });

  it('equals the present state if the run writes nothing', () => {
    const live = [websiteDeployment(), websiteService()];
    const { results, children } = foresee(aWebsite, live);
    expect(results).toEqual(['unchanged', 'unchanged']);
    expect(children).toEqual(worldOf(...live).children);
  });

  const otherImage = edited(websiteDeployment(), { by: 'kubectl' }, ({ spec }) => {
    spec.template.spec.containers[0].image = 'other';
  });
  it('shows a child as not ready if its spec changes', () => {
    const live = [otherImage, websiteService()];
    const { verbs, children } = foresee(aWebsite, live);
    expect(verbs[0]).toBe('update Deployment website-sample');
    expect(children.get(deploymentKey)?.readiness.state).toBe('InProgress');
  });

  it('keeps the readiness of a child if only its labels change', () => {
    const relabelled = edited(websiteDeployment(), { by: 'kubectl' }, ({ metadata }) => {
      metadata.labels['app.kubernetes.io/part-of'] = 'other';
    });
    const { verbs, children } = foresee(aWebsite, [relabelled, websiteService()]);
    expect(verbs[0]).toBe('update Deployment website-sample');
    expect(children.get(deploymentKey)?.readiness.state).toBe('Current');
  });
});

describe('the forecast of a child that is no longer desired', () => {
  const renamed = {
    kind: fooKind,
    resource: observeResource(foo({ metadata: { generation: 2 }, spec: { deploymentName: 'b' } })),
  };

  it('omits it', () => {
    const { verbs, results, children } = foresee(renamed, [fooDeployment()]);
    expect(verbs).toEqual(['create Deployment b', 'delete Deployment foo-sample']);
    expect(results).toEqual(['created', 'deleted']);
    expect([...children.keys()]).toEqual([keyOf(ref('Deployment', 'b'))]);
  });

  it('keeps it, waiting, without permission to prune', () => {
    const { verbs, results, children } = foresee(renamed, [fooDeployment()], { prune: false });
    expect(verbs).toEqual(['create Deployment b', 'wait Deployment foo-sample']);
    expect(results).toEqual(['created', 'skipped']);
    expect(children.size).toBe(2);
  });
});
