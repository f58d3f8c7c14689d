import { expect } from 'vitest';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { service } from '../../../shared/kinds/child-types/core.ts';
import { website } from '../../../systems/website.ts';
import { type Live, refusalOf } from '../api.ts';
import type { Place, Scenarios } from '../place.ts';
import { condition, foreignService, isReady, newSite, nodePortOf } from '../resources.ts';

const imageOf = ({ spec }: Live): string | undefined =>
  (spec as { template: { spec: { containers: readonly { image: string }[] } } }).template.spec
    .containers[0]?.image;

const stalledOf = async (place: Place, name = 'shop') =>
  condition(await place.api.get(website, name), 'Stalled');

const held = (nodePort: number, holder: string): string =>
  `node port ${nodePort} is held by ${holder}: choose another one, or free it there`;

/** W-1 to W-8, without W-5. */
export const websites: Scenarios = {
  async 'W-1 a new imageTag changes the image, posts ImageUpdated, and changes nothing else'(
    place,
  ) {
    await newSite(place);
    await place.converge();
    const [oldDeployment, oldService] = await Promise.all([
      place.api.get(deployment, 'shop'),
      place.api.get(service, 'shop'),
    ]);
    await place.api.patch(website, 'shop', { spec: { imageTag: 'v2.0' } });
    expect((await place.resync()).outcomes).toMatchObject({ updated: 1, created: 0 });
    await place.converge();
    const live = await place.api.get(deployment, 'shop');
    const text = JSON.stringify(oldDeployment.spec).replace('storage:v1"', 'storage:v2.0"');
    expect(live.spec).toEqual(JSON.parse(text));
    expect(live.metadata.labels).toEqual(oldDeployment.metadata.labels);
    expect(await place.api.get(service, 'shop')).toEqual(oldService);
    expect(await place.events('shop')).toMatchObject([
      { reason: 'ImageUpdated', message: 'Image tag has updated from "v1" to "v2.0"' },
    ]);
  },

  async 'W-1 the repair of a hand-edited image posts no ImageUpdated'(place) {
    await newSite(place);
    await place.converge();
    const containers = [{ name: 'nginx', image: 'abangser/todo-local-storage:evil' }];
    const edit = { spec: { template: { spec: { containers } } } };
    await place.api.patch(deployment, 'shop', edit, { as: 'strategic' });
    await place.converge();
    expect(imageOf(await place.api.get(deployment, 'shop'))).toBe('abangser/todo-local-storage:v1');
    const events = await place.events('shop');
    expect(events.map(({ reason }) => reason)).toEqual(['Repaired']);
  },

  async 'W-2 a label on the Website writes nothing'(place) {
    await newSite(place);
    await place.converge();
    const writes = await place.writes();
    await place.api.patch(website, 'shop', { metadata: { labels: { team: 'blue' } } });
    const versions = await place.versions();
    expect((await place.resync()).resources).toMatchObject({ reconciled: 0 });
    expect(await place.versions()).toEqual(versions);
    expect(await place.writes()).toEqual(writes);
  },

  async 'W-3 a node port held by a Website elsewhere is reported with its holder, and recovers'(
    place,
  ) {
    const elsewhere = await place.another();
    const nodePort = place.stage.nodePort();
    await newSite(elsewhere, 'holder', { nodePort });
    await elsewhere.converge();
    await newSite(place, 'shop', { nodePort });
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, failed: 1 });
    const message = held(nodePort, `Service ${elsewhere.namespace}/holder`);
    expect(await stalledOf(place)).toMatchObject({ reason: 'NodePortTaken', message });
    expect(await place.events('shop')).toMatchObject([
      { type: 'Warning', reason: 'NodePortTaken', message },
    ]);
    expect(await place.api.find(service, 'shop')).toBeUndefined();
    expect(imageOf(await place.api.get(deployment, 'shop'))).toBe('abangser/todo-local-storage:v1');
    await place.resync();
    expect(await place.events('shop')).toHaveLength(1);
    await elsewhere.api.patch(website, 'holder', { spec: { nodePort: place.stage.nodePort() } });
    await elsewhere.converge();
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, failed: 0 });
    await place.converge();
    expect(nodePortOf(await place.api.get(service, 'shop'))).toBe(nodePort);
    expect(await isReady(place, website, 'shop')).toBe(true);
    expect(await isReady(elsewhere, website, 'holder')).toBe(true);
  },

  async 'W-3 a node port held by a foreign Service is reported with its holder, and recovers'(
    place,
  ) {
    const nodePort = place.stage.nodePort();
    const ports = [{ port: 443, protocol: 'TCP', nodePort }];
    await place.api.create(service, 'theirs', foreignService({ type: 'NodePort', ports }));
    await newSite(place, 'shop', { nodePort });
    await place.resync();
    expect(await stalledOf(place)).toMatchObject({
      reason: 'NodePortTaken',
      message: held(nodePort, `Service ${place.namespace}/theirs`),
    });
    await place.api.remove(service, 'theirs');
    await place.converge();
    expect(await isReady(place, website, 'shop')).toBe(true);
  },

  async 'W-3 a node port held as a healthCheckNodePort is reported with its holder, and recovers'(
    place,
  ) {
    const nodePort = place.stage.nodePort();
    const probed = { externalTrafficPolicy: 'Local', healthCheckNodePort: nodePort };
    await place.api.create(service, 'theirs', foreignService({ type: 'LoadBalancer', ...probed }));
    await newSite(place, 'shop', { nodePort });
    await place.resync();
    const holder = `Service ${place.namespace}/theirs`;
    const message = held(nodePort, holder);
    expect(await stalledOf(place)).toMatchObject({ reason: 'NodePortTaken', message });
    expect(await place.events('shop')).toMatchObject([{ type: 'Warning', message }]);
    await place.api.remove(service, 'theirs');
    await place.converge();
    expect(await isReady(place, website, 'shop')).toBe(true);
  },

  async 'W-3 a Website moving to a port in use keeps its Service as it was'(place) {
    const nodePort = place.stage.nodePort();
    await newSite(place, 'holder', { nodePort });
    await newSite(place);
    await place.converge();
    const before = await place.api.get(service, 'shop');
    await place.api.patch(website, 'shop', { spec: { nodePort, imageTag: 'v2' } });
    await place.resync();
    expect(await stalledOf(place)).toMatchObject({ reason: 'NodePortTaken' });
    expect((await place.api.get(service, 'shop')).spec).toEqual(before.spec);
    expect(imageOf(await place.api.get(deployment, 'shop'))).toContain(':v2');
    await place.api.remove(website, 'holder');
    await place.gone(service, 'holder');
    await place.converge();
    expect(nodePortOf(await place.api.get(service, 'shop'))).toBe(nodePort);
    expect(await isReady(place, website, 'shop')).toBe(true);
  },

  async 'W-3 two Websites swapping ports block each other, and lose nothing'(place) {
    const [a, b, c] = [place.stage.nodePort(), place.stage.nodePort(), place.stage.nodePort()];
    await newSite(place, 'x', { nodePort: a });
    await newSite(place, 'y', { nodePort: b });
    await place.converge();
    await place.api.patch(website, 'x', { spec: { nodePort: b } });
    await place.api.patch(website, 'y', { spec: { nodePort: a } });
    await place.resync();
    await place.resync();
    expect(nodePortOf(await place.api.get(service, 'x'))).toBe(a);
    expect(nodePortOf(await place.api.get(service, 'y'))).toBe(b);
    for (const name of ['x', 'y'])
      expect(await stalledOf(place, name)).toMatchObject({ reason: 'NodePortTaken' });
    await place.api.patch(website, 'x', { spec: { nodePort: c } });
    await place.converge();
    await place.api.patch(website, 'x', { spec: { nodePort: b } });
    await place.converge();
    expect(nodePortOf(await place.api.get(service, 'x'))).toBe(b);
    expect(nodePortOf(await place.api.get(service, 'y'))).toBe(a);
  },

  async 'W-3 a port outside the range of node ports is refused, and nothing is written'(place) {
    for (const nodePort of [80, 29_999, 32_768]) {
      const { code, message } = await refusalOf(newSite(place, 'shop', { nodePort }));
      expect(code).toBe(422);
      expect(message).toContain('spec.nodePort');
    }
    expect((await place.resync()).resources.total).toBe(0);
  },

  async 'W-4 our own Service edited to another nodePort is restored'(place) {
    const { spec } = await newSite(place);
    await place.converge();
    const nodePort = place.stage.nodePort();
    const edit = [{ op: 'replace', path: '/spec/ports/0/nodePort', value: nodePort }];
    await place.api.patch(service, 'shop', edit, { as: 'json' });
    const before = await place.api.get(service, 'shop');
    await place.resync();
    const after = await place.api.get(service, 'shop');
    expect(nodePortOf(after)).toBe(spec?.nodePort);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(await place.events('shop')).toMatchObject([{ reason: 'Repaired' }]);
  },

  async 'W-4 a node port that another Service took meanwhile is reported and restored later'(
    place,
  ) {
    const nodePort = place.stage.nodePort();
    await newSite(place, 'shop', { nodePort });
    await place.converge();
    const edit = [{ op: 'replace', path: '/spec/ports/0/nodePort', value: place.stage.nodePort() }];
    await place.api.patch(service, 'shop', edit, { as: 'json' });
    const ports = [{ port: 443, protocol: 'TCP', nodePort }];
    await place.api.create(service, 'thief', foreignService({ type: 'NodePort', ports }));
    await place.resync();
    expect(await stalledOf(place)).toMatchObject({
      reason: 'NodePortTaken',
      message: held(nodePort, `Service ${place.namespace}/thief`),
    });
    await place.api.remove(service, 'thief');
    await place.converge();
    expect(nodePortOf(await place.api.get(service, 'shop'))).toBe(nodePort);
  },

  async 'W-6 children deleted by hand are recreated individually'(place) {
    await newSite(place);
    await place.converge();
    const uids = async () => ({
      deployment: (await place.api.get(deployment, 'shop')).metadata.uid,
      service: (await place.api.get(service, 'shop')).metadata.uid,
    });
    const first = await uids();
    await place.api.remove(service, 'shop');
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, updated: 0 });
    const second = await uids();
    expect(second.deployment).toBe(first.deployment);
    expect(second.service).not.toBe(first.service);
    await place.api.remove(deployment, 'shop');
    expect((await place.resync()).outcomes).toMatchObject({ created: 1, updated: 0 });
    const third = await uids();
    expect(third.service).toBe(second.service);
    expect(third.deployment).not.toBe(second.deployment);
    await Promise.all([place.api.remove(deployment, 'shop'), place.api.remove(service, 'shop')]);
    expect((await place.resync()).outcomes).toMatchObject({ created: 2 });
    await place.converge();
    expect(await isReady(place, website, 'shop')).toBe(true);
  },

  async 'W-7 concurrent runs create each child once, and log no error'(place) {
    for (const name of ['x', 'y', 'z']) await newSite(place, name);
    await Promise.all([1, 2, 3, 4].map(() => place.resync()));
    await place.converge();
    const versions = await place.versions();
    const reports = await Promise.all([1, 2, 3, 4].map(() => place.resync()));
    expect(await place.versions()).toEqual(versions);
    for (const { failures, statusWrites } of reports)
      expect({ failures, statusWrites }).toEqual({ failures: [], statusWrites: 0 });
    expect(await place.api.list(deployment)).toHaveLength(3);
    expect(await place.api.list(service)).toHaveLength(3);
    expect(place.complaints()).toEqual([]);
    expect(await place.events('x')).toEqual([]);
  },

  async 'W-8 an imageTag that is missing, empty or illegal is refused, and nothing changes'(place) {
    await newSite(place);
    await place.converge();
    const before = await place.api.get(website, 'shop');
    for (const imageTag of [null, '', 'a/b', '-x', '.x', 'a b', 'x'.repeat(129)]) {
      const edited = await refusalOf(place.api.patch(website, 'shop', { spec: { imageTag } }));
      const created = await refusalOf(newSite(place, 'other', { imageTag }));
      for (const { code, message } of [edited, created]) {
        expect(code).toBe(422);
        expect(message).toContain('spec.imageTag');
      }
    }
    expect(await place.api.get(website, 'shop')).toEqual(before);
    expect(await place.api.list(website)).toHaveLength(1);
    expect((await place.resync()).resources).toMatchObject({ total: 1, reconciled: 0 });
  },

  async 'W-8 a Website without a nodePort is given 31000'(place) {
    const { spec } = await place.api.dryRun(website, 'shop', { spec: { imageTag: 'latest' } });
    expect(spec?.nodePort).toBe(31_000);
  },
};
