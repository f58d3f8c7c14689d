import { beforeEach, describe, expect, test } from 'vitest';
import { apply } from '../../infra/actions/apply.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { website } from '../../systems/website.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });

const place = usePlace(engine);
let port: number;
beforeEach(async () => {
  port = place.nodePort();
  await place.api.create(website, 'w', {
    spec: { imageTag: 'latest', nodePort: place.nodePort() },
  });
  await place.resync();
  await place.api.create(service, 'holder', {
    spec: { type: 'NodePort', ports: [{ port: 80, nodePort: port }] },
  });
  await place.api.patch(website, 'w', { spec: { nodePort: port } });
});

const requests = () =>
  engine.cluster.requests.list().filter(({ namespace }) => namespace === place.namespace);

/** Lists the requests for the Service since then. */
const sent = (begun: number) =>
  requests()
    .slice(begun)
    .filter(({ resource, name }) => resource === 'services' && name !== undefined && name !== '')
    .map(({ verb, status }) => `${verb} ${status}`);

describe('a write that the server refuses', () => {
  test('is detected by a dry run and one read, and reported without a write', async () => {
    const begun = requests().length;
    const report = await place.resync();
    expect(report.failures).toMatchObject([{ reason: 'NodePortTaken' }]);
    // The second dry run shows whether the fields are immutable: a new object would be refused, too.
    expect(sent(begun)).toEqual(['patch 422', 'get 200', 'patch 422']);
  });

  test('of a new object is reported at once, because no field of others could be removed', async () => {
    await place.api.create(website, 'v', { spec: { imageTag: 'latest', nodePort: port } });
    await place.resync();
    const ofNew = requests().filter(
      ({ resource, name }) => resource === 'services' && name === 'v',
    );
    expect(ofNew.map(({ verb, status }) => `${verb} ${status}`)).toEqual(['patch 422']);
  });

  test('is shown in the plan, and not sent', async () => {
    const recorded = openRecordedPreview(engine);
    const request = { namespace: place.namespace };
    const options = { ...previewOptions, area: { kinds: [website], namespaces: undefined } };
    const seen = await previewRun(recorded.begin(), [request], options);
    const begun = requests().length;
    const report = await apply(recorded.begin(), seen, { concurrency: 1 });
    await recorded.close();
    expect(report.failures).toMatchObject([{ reason: 'NodePortTaken' }]);
    expect(sent(begun)).toEqual([]);
  });
});
