import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { FailedRequest, World } from '../../shared/plan/observed/world.ts';
import { plan } from '../../shared/plan/plan.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { edited } from '../support/edits.ts';
import { observeResource } from '../support/observe.ts';
import { website } from '../support/resources.ts';
import { worldOf } from '../support/worlds.ts';

const failure: FailedRequest = { reason: 'Invalid', message: 'port is taken', transient: false };
const service = 'v1/Service/website-sample';
const deployment = 'apps/v1/Deployment/website-sample';

const scaled = edited(websiteDeployment(), { by: 'kubectl' }, ({ spec }) => {
  spec.replicas = 5;
});
const moved = edited(websiteService(), { by: 'kubectl' }, ({ spec }) => {
  spec.ports[0].nodePort = 31_001;
});

const planWith = (live: readonly KubeObject[], over: Partial<World>) => {
  const about = { kind: websiteKind, resource: observeResource(website()) };
  const planned = plan({ ...about, ...worldOf(...live), ...over });
  const decisions = planned.state === 'planned' ? planned.decisions : [];
  return Object.fromEntries(decisions.map((one) => [one.child.kind, one]));
};

const refused = (live: KubeObject) => ({ refused: new Map([[service, { failure, live }]]) });

describe('an update that the server refused', () => {
  it('fails with its reason if nothing can be removed first', () => {
    const alone = websiteService({ metadata: { managedFields: [] } });
    expect(planWith([websiteDeployment(), alone], refused(alone)).Service).toMatchObject({
      verb: 'fail',
      ...failure,
    });
  });

  it('is preceded by the removal of what clashes with it in the live object', () => {
    const clashing = edited(websiteService(), { by: 'kubectl' }, ({ spec }) => {
      spec.ports[0].port = 8080;
    });
    const bare = { ...clashing, metadata: { ...clashing.metadata, managedFields: [] } };
    expect(planWith([websiteDeployment(), bare], refused(bare)).Service).toMatchObject({
      verb: 'update',
      removesIncompatible: true,
    });
  });

  it.each([
    ['of another version', { resourceVersion: '999' }],
    ['of another object', { uid: 'another' }],
  ])('is sent again for an object %s', (_, over) => {
    const alone = websiteService({ metadata: { managedFields: [] } });
    const before = { ...alone, metadata: { ...alone.metadata, ...over } };
    expect(planWith([websiteDeployment(), alone], refused(before)).Service).toMatchObject({
      verb: 'update',
      removesIncompatible: false,
    });
  });
});

describe('a child that is given up for this run', () => {
  const givenUp = new Map([[deployment, { ...failure, reason: 'Conflict', transient: true }]]);

  it('fails with the reason instead of being written', () => {
    expect(planWith([scaled, websiteService()], { givenUp }).Deployment).toMatchObject({
      verb: 'fail',
      reason: 'Conflict',
      transient: true,
    });
  });

  it('costs no other child its write', () => {
    expect(planWith([scaled, moved], { givenUp }).Service).toMatchObject({ verb: 'update' });
  });

  it('is as wanted if there is nothing to write', () => {
    const decisions = planWith([websiteDeployment(), websiteService()], { givenUp });
    expect(decisions.Deployment).toMatchObject({ verb: 'none' });
  });

  it('keeps the reason for which it is blocked', () => {
    const foreign = websiteDeployment({ metadata: { ownerReferences: [] } });
    expect(planWith([foreign, websiteService()], { givenUp }).Deployment).toMatchObject({
      verb: 'block',
      reason: 'ErrResourceExists',
    });
  });

  it('fails where it was to wait', () => {
    const deletionTimestamp = '2026-11-21T12:00:00Z';
    const leaving = websiteDeployment({ metadata: { deletionTimestamp } });
    expect(planWith([leaving, websiteService()], { givenUp }).Deployment).toMatchObject({
      verb: 'fail',
    });
  });
});
