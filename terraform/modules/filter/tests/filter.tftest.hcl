variables {
  project  = "demo"
  location = "europe-west1"
  cluster  = "main"
}

run "one_line_for_each_condition" {
  command = plan

  assert {
    condition     = length(split("\n", output.filter)) == 7
    error_message = "A line is a condition; all of them hold."
  }
  assert {
    condition     = strcontains(output.filter, "resource.labels.cluster_name=\"main\"")
    error_message = "A project has several clusters."
  }
  assert {
    condition     = strcontains(output.filter, "io\\.k8s\\.apps\\.[^.]+\\.deployments")
    error_message = "A backslash stays single inside a regular expression."
  }
  assert {
    condition     = !contains(keys(output.exclusions), "own-writes")
    error_message = "Without an own identity nothing is excluded for it."
  }
}

run "kinds_narrow_it" {
  command = plan
  variables {
    kinds = ["Foo"]
  }

  assert {
    condition     = strcontains(output.filter, "\"^(com\\.example\\.[^.]+\\.foos|io\\.k8s\\.apps\\.[^.]+\\.deployments)(")
    error_message = "Foo and what it owns, and nothing else."
  }
  assert {
    condition     = length(output.methods) == 10 && contains(output.methods, "com.example.v1alpha1.foos.create")
    error_message = "Two types, five verbs each, with their versions."
  }
}

run "namespaces_narrow_it" {
  command = plan
  variables {
    namespaces = ["team-b", "team-a", "team-b"]
  }

  assert {
    condition     = endswith(output.filter, "\n(protoPayload.resourceName=~\"^[^/]+/[^/]+/namespaces/(team-a|team-b)(/|$)\" OR NOT protoPayload.resourceName=~\"^[^/]+/[^/]+/namespaces/\")")
    error_message = "Sorted, each once, so that the order given changes nothing."
  }
}

run "own_writes_are_of_children_only" {
  command = plan
  variables {
    kinds        = ["Foo"]
    own_identity = ["a@demo.iam.gserviceaccount.com", "b@demo.iam.gserviceaccount.com"]
  }

  assert {
    condition = output.exclusions["own-writes"] == join("\n", [
      "(protoPayload.authenticationInfo.principalEmail=\"a@demo.iam.gserviceaccount.com\" OR protoPayload.authenticationInfo.principalEmail=\"b@demo.iam.gserviceaccount.com\")",
      "protoPayload.methodName=~\"^(io\\.k8s\\.apps\\.[^.]+\\.deployments)(\\.scale)?\\.(create|update|patch|delete|deletecollection)$\"",
    ])
    error_message = "An edit of a resource under the functions' identity still counts."
  }
}

run "unknown_kind" {
  command = plan
  variables {
    kinds = ["Foos"]
  }
  expect_failures = [var.kinds]
}

run "illegal_namespace" {
  command = plan
  variables {
    namespaces = ["a|b"]
  }
  expect_failures = [var.namespaces]
}

run "kinds_of_your_own" {
  command = plan
  variables {
    kinds      = ["Cache"]
    kinds_file = "tests/kinds-of-your-own.json"
  }

  assert {
    condition     = output.filter == "demo/europe-west1/main org\\.example\\.[^.]+\\.caches" && output.exclusions == { noise = "x" }
    error_message = "Conditions and kinds are those of the file, and of no other."
  }
  assert {
    condition     = output.methods == tolist(["org.example.v1.caches.create", "org.example.v1.caches.delete"])
    error_message = "So are the method names."
  }
}

run "a_child_of_a_kind_of_your_own_with_two_versions" {
  command = plan
  variables {
    kinds        = ["Farm", "Herd"]
    kinds_file   = "tests/kinds-of-your-own.json"
    own_identity = ["me"]
  }

  assert {
    condition     = output.exclusions["own-writes"] == "(by me)\nof io\\.k8s\\.apps\\.[^.]+\\.deployments"
    error_message = "It is a resource as well, so what the functions write of it is forwarded."
  }
}

run "no_kind_of_your_own" {
  command = plan
  variables {
    kinds      = ["Foo"]
    kinds_file = "tests/kinds-of-your-own.json"
  }
  expect_failures = [var.kinds]
}
