import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  moduleNames,
  nested,
  readConfiguration,
  resource,
  resourcesOf,
  terraformDirectory,
  value,
} from './configuration.ts';

const root = await readConfiguration();
const everything = JSON.stringify(root);
const service = 'google_cloudfunctions2_function.this';

describe('the functions', () => {
  const { build_config, service_config, ...rest } = resource(
    root,
    'google_cloudfunctions2_function',
    'this',
  );
  const build = nested({ build_config }, 'build_config');
  const settings = nested({ service_config }, 'service_config');

  it('are two with the same shape', () => {
    expect(rest.for_each).toBe(value('module.settings.functions'));
    expect(build).toMatchObject({ runtime: 'nodejs24', entry_point: value('each.key') });
  });

  it('have limits, and separate accounts for running and building', () => {
    expect(settings).toMatchObject({
      ingress_settings: 'ALLOW_INTERNAL_ONLY',
      min_instance_count: 0,
      service_account_email: value('google_service_account.this["runtime"].email'),
    });
    for (const key of ['timeout_seconds', 'max_instance_count', 'available_memory'])
      expect(settings[key], key).toBeDefined();
    expect(build.service_account).toBe(value('google_service_account.this["build"].id'));
    expect(root.locals.scale).toMatchObject({ resync: { count: 1, concurrency: 1 } });
  });

  it('take their environment from the tested module, without secrets', () => {
    expect(settings.environment_variables).toBe(value('each.value.environment'));
    expect(everything).not.toMatch(/secret_environment_variables|secret_volumes|password/i);
  });

  it('are deployed when their source changes', () => {
    const { name } = resource(root, 'google_storage_bucket_object', 'source');
    expect(name).toBe(`${value('each.key')}-${value('each.value.output_sha256')}.zip`);
    expect(nested(nested(build, 'source'), 'storage_source').object).toBe(
      value('google_storage_bucket_object.source[each.key].name'),
    );
    expect(resource(root, 'google_storage_bucket', 'source')).toMatchObject({
      uniform_bucket_level_access: true,
      public_access_prevention: 'enforced',
    });
  });
});

describe('the schedule', () => {
  const { http_target, retry_config, ...job } = resource(
    root,
    'google_cloud_scheduler_job',
    'resync',
  );

  it('has the timeout and the retries of the settings', () => {
    expect(job.attempt_deadline).toBe(`${value('module.settings.attempt_deadline_seconds')}s`);
    expect(job.schedule).toBe(value('module.settings.cron'));
    expect(nested({ retry_config }, 'retry_config').retry_count).toBe(
      value('module.settings.retry_count'),
    );
  });

  it('is authenticated', () => {
    const target = nested({ http_target }, 'http_target');
    expect(target).toMatchObject({
      http_method: 'POST',
      uri: value(`${service}["resync"].service_config[0].uri`),
    });
    expect(nested(target, 'oidc_token')).toEqual({
      service_account_email: value('google_service_account.this["schedule"].email'),
      audience: target.uri,
    });
  });
});

describe('audit events', () => {
  const subscriptions = [...resourcesOf(root, 'google_pubsub_subscription')];
  const pushed = subscriptions.filter(([, { push_config: push }]) => push !== undefined);

  it('have subscriptions that never expire', () => {
    for (const [name, subscription] of subscriptions)
      expect(nested(subscription, 'expiration_policy'), name).toEqual({ ttl: '' });
  });

  it('are pushed with an identity, retried with backoff, and finally dead-lettered', () => {
    expect(pushed.map(([name]) => name)).toEqual(['google_pubsub_subscription.push']);
    const [, push = {}] = pushed[0] ?? [];
    expect(nested(push, 'retry_policy')).toEqual({
      minimum_backoff: '10s',
      maximum_backoff: '600s',
    });
    expect(nested(push, 'dead_letter_policy').dead_letter_topic).toBe(
      value('google_pubsub_topic.dead_letters.id'),
    );
    expect(push.ack_deadline_seconds).toBe(value('module.settings.ack_deadline_seconds'));
    const target = nested(push, 'push_config');
    expect(target.push_endpoint).toBe(value(`${service}["audit"].service_config[0].uri`));
    expect(nested(target, 'oidc_token').audience).toBe(target.push_endpoint);
  });

  it('end in a dead-letter topic, to which Pub/Sub may publish', () => {
    const kept = subscriptions.filter(
      ([, { topic }]) => topic === value('google_pubsub_topic.dead_letters.id'),
    );
    expect(kept).toHaveLength(1);
    // Audit entries may contain written objects in plain text.
    expect(kept[0]?.[1].message_retention_duration, 'three days').toBe('259200s');
    expect(resource(root, 'google_pubsub_topic_iam_member', 'dead_letters')).toMatchObject({
      role: 'roles/pubsub.publisher',
      member: value('local.pubsub_agent'),
    });
    expect(resource(root, 'google_pubsub_subscription_iam_member', 'dead_letters')).toMatchObject({
      for_each: value('google_pubsub_subscription.push'),
      role: 'roles/pubsub.subscriber',
      member: value('local.pubsub_agent'),
    });
  });

  it('come through a sink with the filter and every exclusion of the tested module', () => {
    const sink = resource(root, 'google_logging_project_sink', 'audit');
    expect(sink.filter).toBe(value('module.filter[each.key].filter'));
    expect(sink.unique_writer_identity).toBe(true);
    const { exclusions } = sink.dynamic as { exclusions: unknown };
    expect(exclusions).toEqual([
      {
        for_each: value('module.filter[each.key].exclusions'),
        content: [{ name: value('exclusions.key'), filter: value('exclusions.value') }],
      },
    ]);
  });

  it('may be published by each sink', () => {
    expect(resource(root, 'google_pubsub_topic_iam_member', 'sink')).toEqual({
      for_each: value('google_logging_project_sink.audit'),
      project: value('var.project'),
      topic: value('google_pubsub_topic.stream["audit"].id'),
      role: 'roles/pubsub.publisher',
      member: value('each.value.writer_identity'),
    });
  });
});

describe('the root module', () => {
  it("sets the project of every resource, because the provider is the caller's", () => {
    // These have the project of the object in their id.
    const within = ['google_storage_bucket_', 'google_service_account_iam_member', 'time_sleep'];
    const ofProject = [...resourcesOf(root, '')].filter(
      ([name]) => !within.some((start) => name.startsWith(start)),
    );
    for (const [name, { project }] of ofProject) expect(project, name).toBeDefined();
  });

  it('grants the build its permissions a while before the build', () => {
    const { triggers } = resource(root, 'time_sleep', 'grants');
    for (const [name, { member }] of resourcesOf(root, '_iam_member'))
      if (member === value('google_service_account.this["build"].member'))
        expect(JSON.stringify(triggers), name).toContain(`${name}.id`);
    const { depends_on: needed } = resource(root, 'google_cloudfunctions2_function', 'this');
    expect(needed).toContain(value('time_sleep.grants'));
  });
});

describe('the modules', () => {
  it.each(moduleNames)('%s needs no provider', async (name) => {
    const module = await readConfiguration(join(terraformDirectory, 'modules', name));
    expect(module.resource).toEqual({});
    expect(module.data).toEqual({});
    expect(module.terraform).toEqual([]);
  });
});
