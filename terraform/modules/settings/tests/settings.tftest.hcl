variables {
  project = "demo-project"
  region  = "europe-west1"
  clusters = [{
    name     = "main"
    location = "europe-west1"
    endpoint = "gke-0123.europe-west1.gke.goog"
  }]
}

run "defaults" {
  command = plan

  assert {
    condition     = output.cron == "*/5 * * * *" && output.silence_seconds == 21 * 60
    error_message = "Three resyncs of five minutes, and what the last may take."
  }
  assert {
    condition     = output.functions.resync.timeout_seconds >= 300 + 15 && output.attempt_deadline_seconds > output.functions.resync.timeout_seconds
    error_message = "Scheduler outlasts the function, the function its own deadline and grace."
  }
  assert {
    condition     = output.functions.audit.timeout_seconds >= 120 + 15 && output.ack_deadline_seconds > output.functions.audit.timeout_seconds
    error_message = "Pub/Sub outlasts the function, the function its own deadline and grace."
  }
  assert {
    condition     = output.functions.resync.environment.OWN_IDENTITY == "serverless-reconciler@demo-project.iam.gserviceaccount.com"
    error_message = "The functions know their own writes in the audit log."
  }
  assert {
    condition     = output.functions.audit.environment.ATTRIBUTE_REPAIRS == "true" && !contains(keys(output.functions.resync.environment), "ATTRIBUTE_REPAIRS")
    error_message = "Whoever calls the audit function is authenticated by the platform, so its entries name users."
  }
  assert {
    condition     = length(setintersection(keys(output.functions.resync.environment), ["NAMESPACES", "KINDS", "FAN_OUT_TOPIC", "RECORD_BUCKET"])) == 0
    error_message = "What is not set is left out."
  }
  assert {
    condition     = output.streams == toset(["audit"])
    error_message = "No topic for what is not asked for."
  }
  assert {
    condition     = output.failures == 12 && output.retry_count == 3
    error_message = "One resync and its retries are four failed runs; three resyncs are the incident."
  }
  assert {
    condition     = alltrue([for function in output.functions : function.environment.NODE_OPTIONS == "--enable-source-maps --max-semi-space-size=8 --max-old-space-size=384"])
    error_message = "Node's heap leaves a part of the memory to the rest."
  }
}

run "memory_is_for_the_heap" {
  command = plan
  variables {
    limits = { resync_memory = "2Gi", audit_memory = "256Mi", audit_count = 1 }
  }

  assert {
    condition     = endswith(output.functions.resync.environment.NODE_OPTIONS, "=1536") && endswith(output.functions.audit.environment.NODE_OPTIONS, "=128")
    error_message = "Three quarters, but 128 MiB are always left."
  }
}

run "fewest_missed_resyncs" {
  command = plan
  variables {
    missed_resyncs = 2
  }
  assert {
    condition     = output.failures > 1 + output.retry_count
    error_message = "One bad resync is no incident."
  }
}

run "longest_deadlines" {
  command = plan
  variables {
    deadline_seconds = { resync = 1740, audit = 540 }
  }

  assert {
    condition     = output.attempt_deadline_seconds == 1800 && output.ack_deadline_seconds == 600
    error_message = "The longest that Cloud Scheduler and Pub/Sub wait."
  }
}

run "fan_out_is_for_resync" {
  command = plan
  variables {
    fan_out = true
    events  = "none"
  }

  assert {
    condition     = output.functions.resync.environment.FAN_OUT_TOPIC == "projects/demo-project/topics/serverless-reconciler-fan-out"
    error_message = "A resync publishes there."
  }
  assert {
    condition     = !contains(keys(output.functions.audit.environment), "FAN_OUT_TOPIC") && output.streams == toset(["fan-out"])
    error_message = "The audit function does the work and publishes nothing."
  }
}

run "both_functions_record" {
  command = plan
  variables {
    record_bucket = "my-recordings"
  }

  assert {
    condition     = alltrue([for one in output.functions : one.environment.RECORD_BUCKET == "my-recordings"])
    error_message = "Resyncs and deliveries are recorded in one bucket."
  }
}

run "a_bucket_is_named_without_its_scheme" {
  command = plan
  variables {
    record_bucket = "gs://my-recordings"
  }

  expect_failures = [var.record_bucket]
}

run "several_clusters" {
  command = plan
  variables {
    clusters = [
      { name = "main", location = "europe-west1", endpoint = "a.gke.goog" },
      { name = "main", location = "us-east1-b", endpoint = "b.gke.goog", project = "other-project" },
    ]
  }

  assert {
    condition = jsondecode(output.functions.audit.environment.CLUSTERS) == [
      { name = "demo-project/europe-west1/main", endpoint = "a.gke.goog" },
      { name = "other-project/us-east1-b/main", endpoint = "b.gke.goog" },
    ]
    error_message = "Named as audit entries name them, or two of one name would be one."
  }
  assert {
    condition     = output.failures == 3
    error_message = "A resync that fails for one cluster beside others is no failed request, so it is one line without retries."
  }
}

run "every_minute" {
  command = plan
  variables {
    interval_minutes = 1
  }
  assert {
    condition     = output.cron == "* * * * *"
    error_message = "The shortest there is."
  }
}

run "every_four_hours" {
  command = plan
  variables {
    interval_minutes = 240
  }
  assert {
    condition     = output.cron == "0 */4 * * *"
    error_message = "Whole hours."
  }
}

run "irregular_resyncs" {
  command = plan
  variables {
    interval_minutes = 7
  }
  expect_failures = [var.interval_minutes]
}

run "no_interval" {
  command = plan
  variables {
    interval_minutes = 0
  }
  expect_failures = [var.interval_minutes]
}

run "every_eight_hours" {
  command = plan
  variables {
    interval_minutes = 480
    missed_resyncs   = 2
  }
  assert {
    condition     = output.cron == "0 */8 * * *" && output.silence_seconds <= 86400
    error_message = "The longest there is."
  }
}

run "an_alert_cannot_look_back_so_far" {
  command = plan
  variables {
    interval_minutes = 480
    missed_resyncs   = 3
  }
  expect_failures = [output.silence_seconds]
}

run "twice_a_day" {
  command = plan
  variables {
    interval_minutes = 720
    missed_resyncs   = 2
  }
  expect_failures = [var.interval_minutes]
}

run "once_a_day" {
  command = plan
  variables {
    interval_minutes = 1440
  }
  expect_failures = [var.interval_minutes]
}

run "no_instances" {
  command = plan
  variables {
    limits = { audit_count = 0 }
  }
  expect_failures = [var.limits]
}

run "half_an_instance" {
  command = plan
  variables {
    limits = { audit_count = 1.5 }
  }
  expect_failures = [var.limits]
}

run "too_little_memory" {
  command = plan
  variables {
    limits = { resync_memory = "128Mi" }
  }
  expect_failures = [var.limits]
}

run "memory_beyond_one_cpu" {
  command = plan
  variables {
    limits = { audit_memory = "8Gi" }
  }
  expect_failures = [var.limits]
}

run "memory_without_a_unit" {
  command = plan
  variables {
    limits = { audit_memory = "512" }
  }
  expect_failures = [var.limits]
}

run "a_zone_is_no_region" {
  command = plan
  variables {
    region = "europe-west1-b"
  }
  expect_failures = [var.region]
}

run "one_missed_resync_is_none" {
  command = plan
  variables {
    missed_resyncs = 1
  }
  expect_failures = [var.missed_resyncs]
}

run "resync_beyond_scheduler" {
  command = plan
  variables {
    deadline_seconds = { resync = 1800 }
  }
  expect_failures = [var.deadline_seconds]
}

run "audit_beyond_pubsub" {
  command = plan
  variables {
    deadline_seconds = { audit = 600 }
  }
  expect_failures = [var.deadline_seconds]
}

run "long_name" {
  command = plan
  variables {
    name = "a-name-too-long-for-an-account"
  }
  expect_failures = [var.name]
}

run "project_number" {
  command = plan
  variables {
    project = "123456789"
  }
  expect_failures = [var.project]
}

run "no_cluster" {
  command = plan
  variables {
    clusters = []
  }
  expect_failures = [var.clusters]
}

run "endpoint_with_a_path" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "https://a.gke.goog/" }]
  }
  expect_failures = [var.clusters]
}

run "the_same_cluster_twice" {
  command = plan
  variables {
    clusters = [
      { name = "main", location = "europe-west1", endpoint = "a.gke.goog" },
      { name = "main", location = "europe-west1", endpoint = "b.gke.goog" },
    ]
  }
  expect_failures = [var.clusters]
}

run "endpoint_with_an_empty_label" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "gke-0..goog" }]
  }
  expect_failures = [var.clusters]
}

run "endpoint_with_a_label_that_ends_in_a_dash" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "gke-.goog" }]
  }
  expect_failures = [var.clusters]
}

run "endpoint_that_is_half_an_address" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "10.0.0" }]
  }
  expect_failures = [var.clusters]
}

run "endpoint_with_a_port" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "a.gke.goog:443" }]
  }
  expect_failures = [var.clusters]
}

run "endpoint_that_is_an_address" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "10.0.0.250" }]
  }
  assert {
    condition     = output.clusters["demo-project/europe-west1/main"].endpoint == "10.0.0.250"
    error_message = "An authority of its own may be for an address."
  }
}

run "ca_that_is_no_base64" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "a.gke.goog", ca = "-----BEGIN CERTIFICATE-----" }]
  }
  expect_failures = [var.clusters]
}

run "ca_that_is_no_certificate" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "a.gke.goog", ca = "Q0E=" }]
  }
  expect_failures = [var.clusters]
}

run "ca_that_is_cut_off" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "a.gke.goog", ca = base64encode("-----BEGIN CERTIFICATE-----\nMIIB\n") }]
  }
  expect_failures = [var.clusters]
}

run "ca_of_which_the_second_is_cut_off" {
  command = plan
  variables {
    clusters = [{ name = "main", location = "europe-west1", endpoint = "a.gke.goog", ca = base64encode("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nMIIB\n") }]
  }
  expect_failures = [var.clusters]
}

run "the_same_cluster_with_and_without_its_project" {
  command = plan
  variables {
    clusters = [
      { name = "main", location = "europe-west1", endpoint = "a.gke.goog" },
      { name = "main", location = "europe-west1", endpoint = "b.gke.goog", project = "demo-project" },
    ]
  }
  expect_failures = [var.clusters]
}

run "unknown_way_of_events" {
  command = plan
  variables {
    events = "webhook"
  }
  expect_failures = [var.events]
}

run "a_variable_that_follows_from_others" {
  command = plan
  variables {
    environment = { CLUSTER_ENDPOINT = "a.gke.goog" }
  }
  expect_failures = [var.environment]
}

run "neither_dry_nor_wet" {
  command = plan
  variables {
    environment = { DRY_RUN = "yes" }
  }
  expect_failures = [var.environment]
}

run "no_requests_at_once" {
  command = plan
  variables {
    environment = { CONCURRENCY = "0" }
  }
  expect_failures = [var.environment]
}

run "too_many_requests_at_once" {
  command = plan
  variables {
    environment = { CONCURRENCY = "65" }
  }
  expect_failures = [var.environment]
}

run "settling_for_too_long" {
  command = plan
  variables {
    environment = { SETTLE_SECONDS = "601" }
  }
  expect_failures = [var.environment]
}

run "a_limit_in_words" {
  command = plan
  variables {
    environment = { PRUNE_LIMIT = "half" }
  }
  expect_failures = [var.environment]
}

run "an_unknown_level" {
  command = plan
  variables {
    environment = { LOG_LEVEL = "LOUD" }
  }
  expect_failures = [var.environment]
}

run "an_authorizer_with_a_query" {
  command = plan
  variables {
    environment = { AUTH_URL = "https://auth.example.com/?a=b" }
  }
  expect_failures = [var.environment]
}

run "an_authorizer_that_is_nowhere" {
  command = plan
  variables {
    environment = { AUTH_URL = "https:///check" }
  }
  expect_failures = [var.environment]
}

run "no_name_of_a_class" {
  command = plan
  variables {
    environment = { INGRESS_CLASS = "Nginx!" }
  }
  expect_failures = [var.environment]
}

run "a_variable_of_your_own_kinds" {
  command = plan
  variables {
    settings    = ["FLAVOUR"]
    environment = { FLAVOUR = "any text", CONCURRENCY = "4" }
  }

  assert {
    condition     = output.functions.audit.environment.FLAVOUR == "any text"
    error_message = "What kinds depend on reaches both functions."
  }
}

run "a_known_variable_keeps_its_form" {
  command = plan
  variables {
    settings    = ["CONCURRENCY"]
    environment = { CONCURRENCY = "99" }
  }
  expect_failures = [var.environment]
}

run "a_setting_that_is_no_variable" {
  command = plan
  variables {
    settings = ["no-variable"]
  }
  expect_failures = [var.settings]
}
