# The forms of values that the functions accept (shared/config), so that a plan fails instead of a function at
# its start. Some are stricter: no IPv6, no user in an address.

locals {
  host_name = "([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)*[a-z]([a-z0-9-]*[a-z0-9])?"
  octet     = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
  host      = "(${local.host_name}|${local.octet}(\\.${local.octet}){3})"
  port      = "([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"

  # Checks only how a certificate begins and ends, because Terraform cannot parse it.
  begin_certificate = "-----BEGIN CERTIFICATE-----"
  certificate       = "${local.begin_certificate}\\s+MI[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----"

  # The variables that `environment` may contain: all that do not follow from another setting.
  environment_forms = {
    AUTH_URL                = { form = "^(?i:https?://${local.host}(:${local.port})?)(/[!$->@-~]*)?$", want = "an http(s) address without a query" }
    CONCURRENCY             = { form = "^([1-9]|[1-5][0-9]|6[0-4])$", want = "1 to 64" }
    DRY_RUN                 = { form = "^(?i:true|false)$", want = "true or false" }
    INGRESS_CLASS           = { form = "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$", want = "a name" }
    LOG_LEVEL               = { form = "^(?i:debug|info|warning|error)$", want = "debug, info, warning or error" }
    PRUNE_LIMIT             = { form = "^[0-9]{1,9}%?$", want = "as 25 or 50%" }
    ROLLOUT_BUDGET          = { form = "^([1-9][0-9]{0,8}|([1-9][0-9]?|100)%|(?i:off))$", want = "as 5, 10% or off" }
    ROLLOUT_FAILURES        = { form = "^(0|[1-9][0-9]{0,2})$", want = "0 to 999" }
    ROLLOUT_TIMEOUT_SECONDS = { form = "^([6-9][0-9]|[1-9][0-9]{2,4})$", want = "60 to 99999" }
    SETTLE_SECONDS          = { form = "^([0-9]|[1-9][0-9]|[1-5][0-9]{2}|600)$", want = "0 to 600" }
  }
}
