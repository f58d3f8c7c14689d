import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { PlanFile } from '../../infra/cli/plan/plan-file.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { isWriteRequest } from '../reconcile/engine.ts';
import { type CliGround, openCliGround } from './command-runner.ts';

let ground: CliGround;
let file = '';
beforeAll(async () => {
  ground = await openCliGround();
  file = join(ground.directory, 'plan.json');
});
afterAll(() => ground.stop());

/** Creates one resource of each kind with two children and makes it Ready. */
beforeEach(async () => {
  const { api, cluster, run } = ground;
  cluster.undisturb();
  for (const type of [website, foo, deployment, service])
    for (const { metadata } of await api.list(type)) await api.remove(type, metadata.name);
  await settled();
  await api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: 31500 } });
  await api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  await run(['resync']);
  await settled();
  await run(['resync']);
  cluster.requests.reset();
});

async function settled(): Promise<void> {
  const { controllers } = ground.cluster;
  controllers.resume();
  await controllers.settled();
  controllers.pause();
}

/** Lists requests without the probe of the server. */
const requests = () => ground.cluster.requests.list().filter(({ resource }) => resource !== '');
const writes = () => requests().filter(isWriteRequest);

describe('plan', () => {
  it('prints that there is nothing to do without drift, with exit code 0 and one list per type', async () => {
    const { code, out } = await ground.run(['plan', '--kind', 'Website', '--exit-code']);
    expect(code).toBe(0);
    expect(out).toBe(
      'Nothing to do: 1 resource up to date.\nPlanning took 3 requests; applying takes 0 more.\n',
    );
    const definitions = requests().filter((one) => one.resource === 'customresourcedefinitions');
    expect(definitions).toMatchObject([{ verb: 'get', name: 'websites.kubecon.my.domain' }]);
    expect(requests()).toHaveLength(3 + definitions.length);
  });

  it('prints field, values, writer and time, deletions first, and writes nothing', async () => {
    const { api, run } = ground;
    await api.patch(deployment, 'shop', { spec: { replicas: 5 } }, { manager: 'kubectl' });
    await api.remove(service, 'shop');
    await api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    ground.cluster.requests.reset();
    const { code, out, err } = await run(['plan', '--exit-code']);
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringMatching(/^Cluster http:\S+, context local\n$/),
    });
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows[1]).toEqual(['delete', 'Deployment a', 'Foo default/f', 'no longer desired']);
    expect(out).toMatch(
      /update +Deployment shop +Website default\/shop +spec.replicas 5 → 2, changed by kubectl, no later than 20\d\d-/,
    );
    expect(out).toMatch(/create +Service shop +Website default\/shop +\d+ fields/);
    expect(out).toMatch(/Event Repaired: Service shop: was gone, created again/);
    expect(out).toMatch(
      /^1 to delete, 2 to create, 1 to update, 2 statuses to write, 3 Events to post; 2 of 2/m,
    );
    expect(writes()).toEqual([]);
  });

  it('quotes the server if it refuses the dry run of an update', async () => {
    const { api, cluster, run } = ground;
    await api.patch(website, 'shop', { spec: { imageTag: 'v2' } });
    const end = cluster.admit(({ resource }) =>
      resource === 'deployments' ? 'not on Fridays' : undefined,
    );
    const { out } = await run(['plan', 'Website', 'shop']);
    const { out: status } = await run(['status', 'Website', 'shop']);
    end();
    expect(out).toMatch(/fail +Deployment shop .* Forbidden: .*not on Fridays/);
    expect(status).toMatch(/Deployment shop +Failed .*not on Fridays/);
  });

  it('reports NotFound for an unknown name, and nothing to do for an empty namespace', async () => {
    for (const command of ['plan', 'apply', 'resync', 'status']) {
      const { code, err } = await ground.run([command, '--kind', 'Foo', 'nope']);
      expect({ command, code }).toEqual({ command, code: 1 });
      expect(err).toMatch(
        /NotFound: there is no Foo default\/nope; to list those that exist: reconciler status Foo/,
      );
    }
    const { code, out } = await ground.run(['plan', '-n', 'nowhere']);
    expect(code).toBe(0);
    expect(out).toMatch(/^No resources found.\n/);
  });

  it('shows a conflicting object that no list contains', async () => {
    const { api, run } = ground;
    await api.create(deployment, 'theirs', {
      spec: {
        selector: { matchLabels: { x: 'y' } },
        template: {
          metadata: { labels: { x: 'y' } },
          spec: { containers: [{ name: 'x', image: 'x' }] },
        },
      },
    });
    await api.patch(foo, 'f', { spec: { deploymentName: 'theirs' } });
    const { out } = await run(['plan', '--kind', 'Foo', 'f']);
    expect(out).toMatch(
      /block +Deployment theirs +Foo default\/f +ErrResourceExists: Resource "theirs"/,
    );
    expect(out).toMatch(/wait +Deployment a +Foo default\/f +PruningPending/);
  });

  it('-o diff shows current and planned values', async () => {
    const { api, run } = ground;
    await api.patch(deployment, 'shop', { spec: { replicas: 5 } }, { manager: 'kubectl' });
    await api.remove(deployment, 'a');
    const { out } = await run(['plan', '-o', 'diff']);
    expect(out).toMatch(
      /^# update Deployment default\/shop, of Website default\/shop: reduces availability\n# spec.replicas changed by kubectl, no later than .*\ndiff -u -N LIVE\/(\S+) MERGED\/\1\n--- LIVE\/\1\n\+\+\+ MERGED\/\1\n@@ -1,7 \+1,7 @@\n/m,
    );
    expect(out).toContain('--- LIVE/apps.v1.Deployment.default.shop\n');
    expect(out).toContain(
      ' metadata:\n   name: shop\n   namespace: default\n spec:\n-  replicas: 5\n+  replicas: 2\n',
    );
    expect(out).toMatch(
      /\+\+\+ MERGED\/apps.v1.Deployment.default.a\n@@ -0,0 \+1,\d+ @@\n\+apiVersion/,
    );
    expect(out).toContain('+      - name: nginx\n+        image: nginx:latest\n');
  });

  it('-o diff can be applied by patch', async () => {
    const { api, run, directory } = ground;
    await api.scale(deployment, 'shop', 5);
    await api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    const { out } = await run(['plan', '-o', 'diff']);
    await mkdir(join(directory, 'LIVE'), { recursive: true });
    const live = (name: string) => join(directory, 'LIVE', `apps.v1.Deployment.default.${name}`);
    const head = (name: string) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\n  namespace: default\n`;
    await writeFile(live('shop'), `${head('shop')}spec:\n  replicas: 5\n`);
    await writeFile(live('a'), head('a'));
    const patching = promisify(execFile)('patch', ['-p0'], { cwd: directory });
    patching.child.stdin?.end(out);
    await patching;
    expect(await readFile(live('shop'), 'utf8')).toBe(`${head('shop')}spec:\n  replicas: 2\n`);
    expect(await readFile(live('a'), 'utf8')).toBe('');
    expect(
      parse(await readFile(join(directory, 'LIVE', 'apps.v1.Deployment.default.b'), 'utf8')),
    ).toMatchObject({ metadata: { name: 'b' }, spec: { replicas: 1 } });
  });

  it('-o markdown prints a table with the impact of each change, totals and the difference', async () => {
    const { api, run } = ground;
    await api.patch(website, 'shop', { spec: { imageTag: 'v2' } });
    const { out } = await run(['plan', '-o', 'markdown']);
    expect(out).toMatch(
      /^### Plan of serverless-reconciler\n\n1 to update, .*\nImpact: restarts pods: 1 Deployment\.\n/,
    );
    expect(out).toMatch(
      /^\| update \| `Deployment shop` \| `Website default\/shop` \| restarts pods \| `spec.template\S+ "\S+:v1" → "\S+:v2"` \|$/m,
    );
    expect(out).toMatch(
      /<details>[\s\S]*\n```diff\n[\s\S]*\n-.*:v1\n\+.*:v2\n```\n\n<\/details>\n$/,
    );
  });

  it('W-3 every format shows the refusal of the last run', async () => {
    const { api, run } = ground;
    const port = 31_733;
    await api.create(service, 'holder', {
      spec: { type: 'NodePort', ports: [{ port: 80, nodePort: port }] },
    });
    await api.create(website, 'late', { spec: { imageTag: 'v1', nodePort: port } });
    const named = ['--kind', 'Website', 'late'];
    await run(['resync', ...named]);
    const why = `the last run ended with NodePortTaken: node port ${port} is held by Service default/holder: choose another one, or free it there`;
    const outOf = async (format: string) => (await run(['plan', ...named, '-o', format])).out;
    expect(await outOf('table')).toContain(why);
    expect(await outOf('diff')).toContain(`# Website default/late: ${why}\n`);
    expect(await outOf('markdown')).toContain(`\n**\`Website default/late\`**: \`${why}\`\n`);
    const { status } = await api.get(website, 'late');
    const conditions = status?.conditions?.map((one) =>
      one.type === 'Stalled' ? { ...one, message: 'held\n\n@org/team' } : one,
    );
    await api.patch(website, 'late', { status: { conditions } }, { subresource: 'status' });
    expect(await outOf('markdown')).toContain('NodePortTaken: held`<br>`@org/team`\n');
  });

  it('-o markdown escapes text that looks like Markdown', async () => {
    const { api, run } = ground;
    const hostile = '```</details>|@everyone';
    await api
      .patch(
        deployment,
        'shop',
        { spec: { template: { metadata: { labels: { website: 'x' } } } } },
        { manager: hostile },
      )
      .catch(() => undefined);
    await api.patch(deployment, 'shop', { spec: { replicas: 5 } }, { manager: hostile });
    const { out } = await run(['plan', '-o', 'markdown']);
    const [row = ''] = out.split('\n').filter((line) => line.startsWith('| update'));
    expect(row).toContain('```</details>\\|@everyone');
    expect(row).toMatch(/````[^`].*````/);
    expect(out).toContain('````diff\n');
  });

  it('-o json prints only JSON, which --out also writes to a file of mode 0600', async () => {
    const { api, run } = ground;
    await api.scale(deployment, 'shop', 5);
    const { out, err } = await run(['plan', '-o', 'json', '--out', file]);
    expect(err).toBe(`Plan written to ${file}; to apply it: npm run reconciler -- apply ${file}\n`);
    expect(await readFile(file, 'utf8')).toBe(out);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { preview } = JSON.parse(out) as PlanFile;
    expect(preview.resources).toHaveLength(1);
    expect(preview.resources[0]).toMatchObject({
      kind: 'Website',
      resource: 'websites.kubecon.my.domain',
      name: 'shop',
      state: 'planned',
      actions: [
        {
          verb: 'update',
          child: { kind: 'Deployment', name: 'shop' },
          differences: [{ path: 'spec.replicas', from: 5, to: 2, writer: { manager: 'kubectl' } }],
          requests: [
            { verb: 'apply', object: 'Deployment default/shop', manager: 'serverless-reconciler' },
          ],
        },
      ],
    });
  });

  it('--server has the API server check each write without storing it', async () => {
    const { api, run, cluster } = ground;
    await api.scale(deployment, 'shop', 5);
    await api.remove(service, 'shop');
    await api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    const before = await api.list(deployment);
    cluster.requests.reset();
    const fine = await run(['plan', '--server']);
    expect(fine).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Cluster http:\S+, context local\n$/),
    });
    const mutations = requests().filter(({ verb }) => !['get', 'list'].includes(verb));
    const sent = mutations.map(({ verb, resource, path }) => [
      verb,
      resource,
      /dryRun=All/.test(path),
    ]);
    expect(sent).toEqual(
      expect.arrayContaining([
        ['patch', 'deployments', true],
        ['delete', 'deployments', false],
      ]),
    );
    // A deletion has dryRun in its body.
    expect(sent.every(([verb, , isDry]) => isDry || verb === 'delete')).toBe(true);
    expect(await api.list(deployment)).toEqual(before);

    const effect = { kind: 'status', code: 410 } as const;
    cluster.faults.add({ verb: 'patch', resource: 'services', effect });
    const refused = await run(['plan', '--server', '-o', 'json']);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /^websites\S+ default\/shop would be refused: \w+: cannot apply Service/,
    );
    expect(JSON.parse(refused.out)).toMatchObject({
      refused: [{ key: 'websites.kubecon.my.domain default/shop', reason: expect.any(String) }],
    });
    const { out } = await run(['plan', '--server', '-o', 'markdown']);
    expect(out).toMatch(
      /^\*\*Would be refused\*\*: `websites\S+ default\/shop`: `\w+: cannot apply/m,
    );
  });

  it('uses colours only on a terminal, and not with NO_COLOR or TERM=dumb', async () => {
    await ground.api.scale(deployment, 'shop', 5);
    const plain = await ground.run(['plan']);
    const coloured = await ground.run(['plan'], { isTTY: true });
    const noColour = await ground.run(['plan'], { isTTY: true, env: { NO_COLOR: '1' } });
    const dumb = await ground.run(['plan'], { isTTY: true, env: { TERM: 'dumb' } });
    expect(plain.out).not.toContain('\u001b');
    expect(dumb.out).toBe(plain.out);
    expect(coloured.out).toContain('\u001b[33mupdate\u001b[39m');
    expect(noColour.out).toBe(plain.out);
    const json = await ground.run(['plan', '-o', 'json'], { isTTY: true });
    expect(json.out).not.toContain('\u001b');
  });

  it('prints that deletions are withheld, and why', async () => {
    const { api, run } = ground;
    const { metadata, spec } = await api.get(deployment, 'a');
    const { labels, ownerReferences } = metadata;
    await api.create(deployment, 'unwanted', { metadata: { labels, ownerReferences }, spec });
    const { out } = await run(['plan'], { env: { PRUNE_LIMIT: '0' } });
    expect(out).toMatch(
      /Deletions are withheld: 1 of 2 resources would delete children.*PRUNE_LIMIT/,
    );
  });

  it('plans other types if one cannot be read, reports that on stderr, and exits with 1', async () => {
    const effect = { kind: 'status', code: 410 } as const;
    ground.cluster.faults.add({ verb: 'list', resource: 'services', effect });
    await ground.api.scale(deployment, 'a', 5);
    const { code, out, err } = await ground.run(['plan']);
    expect(code).toBe(1);
    expect(err).toMatch(/^Cluster .*\nchildren in services could not be planned: .*services.*\n$/);
    expect(out).toMatch(/update +Deployment a/);
  });
});

it('no command says that all is well if it could not list the resources', async () => {
  const effect = { kind: 'status', code: 500 } as const;
  ground.cluster.faults.add({ verb: 'list', resource: 'websites', effect });
  const status = await ground.run(['status', 'Website']);
  expect(status).toMatchObject({ code: 1, out: '' });
  expect(status.err).toContain('cannot list websites.kubecon.my.domain: ');
  const { code, out } = await ground.run(['resync', '--kind', 'Website']);
  expect({ code, out }).toEqual({
    code: 1,
    out: expect.stringContaining('children: none written'),
  });
});

describe('apply', () => {
  it('sends exactly the planned requests', async () => {
    const { api, run } = ground;
    await api.scale(deployment, 'shop', 5);
    await run(['plan', '--out', file]);
    ground.cluster.requests.reset();
    const { code, out } = await run(['apply', file]);
    expect(code).toBe(0);
    expect(out).toMatch(/children: 1 updated; 1 status written/);
    expect(writes().map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      'patch deployments',
      'create events',
      'patch websites',
    ]);
    expect((await api.get(deployment, 'shop')).spec?.replicas).toBe(2);
  });

  const moves = {
    'a child was edited': {
      move: () => ground.api.scale(deployment, 'shop', 7),
      want: /Deployment default\/shop changed \(version \d+ → \d+\)/,
    },
    'a child was recreated': {
      move: async () => {
        await ground.api.remove(deployment, 'shop');
        await ground.run(['resync', '--kind', 'Website']);
        await ground.api.scale(deployment, 'shop', 7);
      },
      want: /Website default\/shop changed|Deployment default\/shop is a different object now/,
    },
    'a child was deleted': {
      move: () => ground.api.remove(deployment, 'shop'),
      want: /Deployment default\/shop: update was planned, now it is create/,
    },
    'a resource was edited': {
      move: () => ground.api.patch(website, 'shop', { spec: { imageTag: 'v2' } }),
      want: /Website default\/shop was edited \(generation 1 → 2\)/,
    },
    'a resource was recreated': {
      move: async () => {
        await ground.api.remove(website, 'shop');
        await ground.api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: 31501 } });
      },
      want: /Website default\/shop is a different object now/,
    },
    'another run has made the repair': {
      move: () => ground.run(['resync']),
      want: /Website default\/shop no longer needs a change/,
    },
    'another change is needed': {
      move: () => ground.api.remove(deployment, 'a'),
      want: /Foo default\/f needs a change that was not planned/,
    },
  } as const;

  it.each(Object.entries(moves))('refuses a stale plan: %s', async (_, { move, want }) => {
    const { api, run, cluster } = ground;
    await api.scale(deployment, 'shop', 5);
    await run(['plan', '--out', file]);
    await move();
    cluster.requests.reset();
    const { code, err } = await run(['apply', file]);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^Cluster http:\S+, context local\nthe plan is stale, so nothing was written:\n/,
    );
    expect(err).toMatch(want);
    expect(err).toContain(`plan --out ${file}`);
    expect(writes()).toEqual([]);
  });

  it('refuses a plan that was tampered with or made with another configuration', async () => {
    const { api, run } = ground;
    await api.scale(deployment, 'shop', 5);
    await run(['plan', '--out', file]);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('"to": 2', '"to": 9'));
    const { code, err } = await run(['apply', file]);
    expect(code).toBe(1);
    expect(err).toMatch(/stale[\s\S]*Deployment default\/shop/);
  });

  it('reports a conflict while it applies a FILE, and does not plan again', async () => {
    const { api, run, cluster } = ground;
    await api.scale(deployment, 'shop', 5);
    await run(['plan', '--out', file]);
    let patches = 0;
    cluster.intercept(async ({ verb, resource }) => {
      // The first patch is the dry run of the new plan.
      if (verb !== 'patch' || resource !== 'deployments' || ++patches !== 2) return;
      await api.patch(deployment, 'shop', { metadata: { labels: { raced: 'yes' } } });
    });
    const { code, err } = await run(['apply', file]);
    expect(code).toBe(1);
    expect(err).toMatch(/websites.kubecon.my.domain default\/shop.*Conflict/);
    expect((await api.get(deployment, 'shop')).spec?.replicas).toBe(5);
  });

  it('reports a conflict without a FILE, too, and does not plan again', async () => {
    const { api, run, cluster } = ground;
    await api.scale(deployment, 'shop', 5);
    let patches = 0;
    cluster.intercept(async ({ verb, resource }) => {
      // The first patch is a dry run.
      if (verb !== 'patch' || resource !== 'deployments' || ++patches !== 2) return;
      await api.patch(deployment, 'shop', { metadata: { labels: { raced: 'yes' } } });
    });
    const { code, out, err } = await run(['apply', '--kind', 'Website', 'shop', '--yes']);
    expect(code).toBe(1);
    expect(out + err).toContain('it changed meanwhile');
    expect((await api.get(deployment, 'shop')).spec?.replicas).toBe(5);
  });

  it('writes nothing without a terminal, --yes or a FILE', async () => {
    await ground.api.scale(deployment, 'shop', 5);
    ground.cluster.requests.reset();
    const { code, err } = await ground.run(['apply']);
    expect({ code, writes: writes() }).toEqual({ code: 2, writes: [] });
    expect(err).toContain('apply cannot ask without a terminal: add --yes');
  });

  describe('on a terminal', () => {
    const asked: string[] = [];
    const answering = (answer: boolean, meanwhile = async (): Promise<unknown> => undefined) =>
      ({
        async confirm(question: string) {
          asked.push(question);
          await meanwhile();
          return answer;
        },
      }) as const;
    beforeEach(async () => {
      asked.length = 0;
      await ground.api.scale(deployment, 'shop', 5);
      ground.cluster.requests.reset();
    });
    const replicas = async () => (await ground.api.get(deployment, 'shop')).spec?.replicas;

    it('applies the plan to the cluster in the question after a yes', async () => {
      const { code, out } = await ground.run(['apply'], answering(true));
      expect({ code, replicas: await replicas() }).toEqual({ code: 0, replicas: 2 });
      expect(asked).toEqual([
        expect.stringMatching(/^Apply this plan to cluster http:\S+, context local\?$/),
      ]);
      expect(out).toMatch(/update +Deployment shop/);
    });

    it('shows the plan before the question, with -o json, too', async () => {
      const { out, err } = await ground.run(['apply', '-o', 'json'], answering(true));
      expect(asked).toHaveLength(1);
      expect(err).toMatch(/update +Deployment shop/);
      expect(JSON.parse(out)).toMatchObject({ outcomes: { updated: 1 } });
    });

    it('shows progress while it plans and while it writes', async () => {
      let ms = Date.now();
      const now = (): Date => {
        ms += 500;
        return new Date(ms);
      };
      const { code, err } = await ground.run(['apply', '--yes'], { isTTY: true, now });
      expect(code).toBe(0);
      expect(err.split('\n').filter((line) => /(\d) of \1, \S+$/.test(line))).toHaveLength(2);
    });

    it('writes nothing after a no', async () => {
      const { code, err } = await ground.run(['apply'], answering(false));
      expect({ code, writes: writes() }).toEqual({ code: 1, writes: [] });
      expect(err).toContain('not applied, nothing was written');
    });

    it('refuses the plan if something changed before the answer', async () => {
      const moved = answering(true, () => ground.api.scale(deployment, 'shop', 7));
      const { code, err } = await ground.run(['apply'], moved);
      expect({ code, replicas: await replicas() }).toEqual({ code: 1, replicas: 7 });
      expect(err).toMatch(
        /the plan is stale[\s\S]*Deployment default\/shop changed[\s\S]*apply\n$/,
      );
    });

    it('does not ask with --yes, or if there is nothing to do', async () => {
      const yes = await ground.run(['apply', '--yes'], answering(false));
      const idle = await ground.run(['apply', '--kind', 'Foo'], answering(false));
      expect({ yes: yes.code, idle: idle.code, asked }).toEqual({ yes: 0, idle: 0, asked: [] });
    });
  });

  it('with DRY_RUN writes nothing, and prints that', async () => {
    await ground.api.scale(deployment, 'shop', 5);
    ground.cluster.requests.reset();
    const { code, err } = await ground.run(['apply'], { env: { DRY_RUN: 'true' } });
    expect(code).toBe(1);
    expect(err).toMatch(/DRY_RUN is true.*unset it/);
    expect(writes()).toEqual([]);
  });
});
