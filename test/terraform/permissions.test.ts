import { describe, expect, it } from 'vitest';
import { nested, readConfiguration, resource, resourcesOf, value } from './configuration.ts';

const root = await readConfiguration();
const everything = JSON.stringify(root);

describe('permissions in Terraform', () => {
  const grants = [...resourcesOf(root, '_iam_member')];

  it('are added as members, never as policies or bindings that would replace existing ones', () => {
    const types = Object.keys(root.resource).filter((type) => type.includes('_iam_'));
    expect(types.filter((type) => !/_iam_(member|custom_role)$/.test(type))).toEqual([]);
  });

  it('are exactly these roles', () => {
    const roles = grants.flatMap(([, { role, for_each: each }]) =>
      role === value('each.value')
        ? [...String(each).matchAll(/roles\/[\w.]+/g)].map(String)
        : [role],
    );
    expect([...new Set(roles)].toSorted()).toEqual([
      value('each.value.id'),
      'roles/artifactregistry.writer',
      'roles/eventarc.eventReceiver',
      'roles/iam.serviceAccountTokenCreator',
      'roles/logging.logWriter',
      'roles/pubsub.publisher',
      'roles/pubsub.subscriber',
      'roles/run.invoker',
      'roles/storage.objectCreator',
      'roles/storage.objectViewer',
    ]);
  });

  it('allow connecting to a cluster, but grant nothing inside it', () => {
    const { permissions } = resource(root, 'google_project_iam_custom_role', 'connect');
    expect(permissions).toEqual(['container.clusters.connect']);
    const { for_each: each, member } = resource(root, 'google_project_iam_member', 'connect');
    expect(each).toBe(value('google_project_iam_custom_role.connect'));
    expect(member).toContain('this["runtime"]');
  });

  it('go to named accounts, never to allUsers', () => {
    expect(everything).not.toMatch(/allUsers|allAuthenticatedUsers/);
    const members = new Set(grants.map(([, { member }]) => member));
    expect([...members].toSorted()).toEqual([
      value('each.value.writer_identity'),
      value('google_service_account.this["build"].member'),
      value('google_service_account.this["push"].member'),
      value('google_service_account.this["runtime"].member'),
      value('google_service_account.this[each.value].member'),
      value('local.pubsub_agent'),
    ]);
  });

  it('to call a function belong only to its caller', () => {
    const invokers = grants.filter(([, { role }]) => role === 'roles/run.invoker');
    expect(invokers.map(([name]) => name)).toEqual([
      'google_cloud_run_v2_service_iam_member.invoker',
    ]);
    expect(invokers[0]?.[1].for_each).toEqual({ resync: 'schedule', audit: 'push' });
  });

  it('of the build to write images are limited to our own repository', () => {
    const writers = grants.filter(([, { role }]) => role === 'roles/artifactregistry.writer');
    expect(writers.map(([name]) => name)).toEqual([
      'google_artifact_registry_repository_iam_member.build',
    ]);
    const images = 'google_artifact_registry_repository.images';
    expect(writers[0]?.[1].repository).toBe(value(`${images}.repository_id`));
    const { build_config } = resource(root, 'google_cloudfunctions2_function', 'this');
    expect(nested({ build_config }, 'build_config').docker_repository).toBe(value(`${images}.id`));
  });

  it('of the build in the whole project are limited to writing logs, and to reading under a condition', () => {
    const wide = [...resourcesOf(root, 'google_project_iam_member')].filter(
      ([, { member }]) => member === value('google_service_account.this["build"].member'),
    );
    expect(wide.map(([, { role, condition }]) => [role, condition !== undefined])).toEqual([
      ['roles/logging.logWriter', false],
      ['roles/storage.objectViewer', true],
    ]);
  });

  it('of the build to read buckets are limited to sources of functions', () => {
    const readers = grants.filter(([, { role }]) => role === 'roles/storage.objectViewer');
    expect(readers.map(([name]) => name)).toEqual([
      'google_project_iam_member.build_sources',
      'google_storage_bucket_iam_member.build_archive',
    ]);
    const { expression } = nested(readers[0]?.[1] ?? {}, 'condition');
    expect(expression).toContain('projects/_/buckets/gcf-v2-sources-');
  });

  it('of the functions to a bucket are limited to adding recordings, if a bucket is given', () => {
    const creators = grants.filter(([, { role }]) => role === 'roles/storage.objectCreator');
    expect(creators.map(([name]) => name)).toEqual(['google_storage_bucket_iam_member.records']);
    expect(creators[0]?.[1]).toMatchObject({
      count: value('var.record_bucket == "" ? 0 : 1'),
      bucket: value('var.record_bucket'),
      member: value('google_service_account.this["runtime"].member'),
    });
  });

  it('include no service account keys', () => {
    expect(Object.keys(root.resource)).not.toContain('google_service_account_key');
  });
});
