# What the functions take, and what they would refuse at their start (shared/config), so that a plan is
# refused instead. Narrower in places: no IPv6, no user in an address.

locals {
  host_name = "([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)*[a-z]([a-z0-9-]*[a-z0-9])?"
  octet     = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
  host      = "(${local.host_name}|${local.octet}(\\.${local.octet}){3})"
  port      = "([0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"

  # How a certificate is read is beyond Terraform: that it is whole, and begins like one, is not.
  begin_certificate = "-----BEGIN CERTIFICATE-----"
  certificate       = "${local.begin_certificate}\\s+MI[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----"

  environment_forms = {
    AUTH_URL                = "^(?i:https?://${local.host}(:${local.port})?)(/[!$->@-~]*)?$"
    CONCURRENCY             = "^([1-9]|[1-5][0-9]|6[0-4])$"
    DRY_RUN                 = "^(?i:true|false)$"
    INGRESS_CLASS           = "^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$"
    LOG_LEVEL               = "^(?i:debug|info|warning|error)$"
    PRUNE_LIMIT             = "^[0-9]{1,9}%?$"
    ROLLOUT_BUDGET          = "^([1-9][0-9]{0,8}|([1-9][0-9]?|100)%|(?i:off))$"
    ROLLOUT_FAILURES        = "^(0|[1-9][0-9]{0,2})$"
    ROLLOUT_TIMEOUT_SECONDS = "^([6-9][0-9]|[1-9][0-9]{2,4})$"
    SETTLE_SECONDS          = "^([0-9]|[1-9][0-9]|[1-5][0-9]{2}|600)$"
  }
}
