import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { desiredDigest } from '../../shared/plan/observed/applied.ts';
import type { Asked, FailedRequest, World } from '../../shared/plan/observed/world.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { websiteDeployment, websiteService } from '../support/children.ts';
import { edited } from '../support/edits.ts';
import { observeResource } from '../support/observe.ts';
import { planWithResults } from '../support/plan-with-results.ts';
import { website } from '../support/resources.ts';
import { fieldsOfChild, withRecords, worldOf } from '../support/worlds.ts';

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
  const { planned } = planWithResults({ ...about, ...worldOf(...live), ...over }, live);
  const decisions = planned.state === 'planned' ? planned.decisions : [];
  return Object.fromEntries(decisions.map((one) => [one.child.kind, one]));
};

/** The API server's response to the dry run for the Service. */
const asked = (
  live: KubeObject,
  result: Omit<Partial<Asked>, 'after'>,
  over: Omit<Partial<Asked>, 'after'> = {},
) => {
  const { uid, resourceVersion } = live.metadata;
  const desired = desiredDigest(fieldsOfChild(website(), 'Service'));
  const about = { version: `${uid}/${resourceVersion}`, desired, after: undefined };
  return { asked: new Map([[service, { ...about, ...result, ...over }]]) };
};

describe('an update that the server refuses', () => {
  it("fails with the server's reason if no field of others can be removed", () => {
    const result = asked(moved, { refusal: failure });
    expect(planWith([websiteDeployment(), moved], result).Service).toMatchObject({
      verb: 'fail',
      ...failure,
    });
  });

  it('is preceded by a patch that removes the conflicting fields of others', () => {
    const untangles = [{ op: 'remove', path: '/spec/x' }];
    expect(
      planWith([websiteDeployment(), moved], asked(moved, { untangles })).Service,
    ).toMatchObject({ verb: 'update', untangles });
  });

  it.each([
    ['of another version', { version: 'u/999' }],
    ['with other fields', { desired: 'xxxxxxxxxxxx' }],
  ])('is sent again for an object %s', (_, over) => {
    const result = asked(moved, { refusal: failure }, over);
    expect(planWith([websiteDeployment(), moved], result).Service).toMatchObject({
      verb: 'update',
    });
  });
});

describe('a child that is given up for this run', () => {
  const givenUp = new Map([[deployment, { ...failure, reason: 'Conflict', transient: true }]]);

  it('fails with the reason and is not written', () => {
    expect(planWith([scaled, websiteService()], { givenUp }).Deployment).toMatchObject({
      verb: 'fail',
      reason: 'Conflict',
      transient: true,
    });
  });

  it('does not prevent writes of other children', () => {
    expect(planWith([scaled, moved], { givenUp }).Service).toMatchObject({ verb: 'update' });
  });

  it('is up to date if it has no drift', () => {
    const live = [websiteDeployment(), websiteService()];
    const resource = observeResource(withRecords(website(), ...live));
    expect(planWith(live, { givenUp, resource }).Deployment).toMatchObject({ verb: 'none' });
  });

  it('keeps the reason for which it is blocked', () => {
    const foreign = websiteDeployment({ metadata: { ownerReferences: [] } });
    expect(planWith([foreign, websiteService()], { givenUp }).Deployment).toMatchObject({
      verb: 'block',
      reason: 'ErrResourceExists',
    });
  });

  it('fails although it would have waited', () => {
    const deletionTimestamp = '2026-11-21T12:00:00Z';
    const leaving = websiteDeployment({ metadata: { deletionTimestamp } });
    expect(planWith([leaving, websiteService()], { givenUp }).Deployment).toMatchObject({
      verb: 'fail',
    });
  });
});
