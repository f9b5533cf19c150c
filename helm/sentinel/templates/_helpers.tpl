{{- define "sentinel.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "sentinel.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "sentinel.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "sentinel.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "sentinel.selector" -}}
app.kubernetes.io/name: {{ include "sentinel.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sentinel.labels" -}}
{{ include "sentinel.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "sentinel.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "sentinel.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "sentinel.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/*
Where a container takes its settings from: a dict of root, component, environment (a list, may be missing).
The salts and the broker's credentials go to the agent alone: the workbench neither draws nor consumes.
*/}}
{{- define "sentinel.environment" -}}
{{- $values := .root.Values -}}
- name: SENTINEL_STORE
  valueFrom:
    secretKeyRef:
      name: {{ $values.secret.existingSecret }}
      key: {{ $values.secret.storeKey }}
{{- if eq .component "agent" }}
- name: SENTINEL_SAMPLING__SALT
  valueFrom:
    secretKeyRef:
      name: {{ $values.secret.existingSecret }}
      key: {{ $values.secret.saltKey }}
- name: SENTINEL_SAMPLING__EARLIER_SALTS
  valueFrom:
    secretKeyRef:
      name: {{ $values.secret.existingSecret }}
      key: {{ $values.secret.earlierSaltsKey }}
      optional: true
{{- range $values.secretEnvironment }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- if eq .component "workbench" }}
{{- range $values.workbench.secretEnvironment }}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret }}
      key: {{ .key }}
{{- end }}
{{- end }}
{{- with .environment }}
{{ toYaml . }}
{{- end }}
- name: HOME
  value: /tmp
- name: MPLCONFIGDIR
  value: /tmp/matplotlib
{{- end -}}

{{/* What every container has alike: a dict of root, component, settings, args, environment. */}}
{{- define "sentinel.container" -}}
{{- $values := .root.Values -}}
image: {{ include "sentinel.image" .root | quote }}
imagePullPolicy: {{ $values.image.pullPolicy }}
args:
  {{- toYaml .args | nindent 2 }}
# A store or a file named by a relative path lands where it can be written.
workingDir: /var/lib/sentinel
env:
  {{- include "sentinel.environment" . | nindent 2 }}
resources:
  {{- toYaml .settings.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  runAsUser: {{ $values.runAsUser | int64 }}
  runAsGroup: {{ $values.runAsGroup | int64 }}
  capabilities:
    drop: [ALL]
  seccompProfile:
    type: RuntimeDefault
volumeMounts:
  - name: config
    mountPath: /etc/sentinel/config.yaml
    subPath: config.yaml
    readOnly: true
  - name: tmp
    mountPath: /tmp
  - name: data
    mountPath: /var/lib/sentinel
  {{- range $index, $file := $values.secretFiles }}
  - name: secret-{{ $index }}
    mountPath: /etc/sentinel/secrets/{{ $file.existingSecret }}
    readOnly: true
  {{- end }}
{{- end -}}

{{/*
One probe: a dict of path, port, inside, timing (values of the probe). From inside the container where the
process listens on loopback only, which the kubelet cannot reach; without urllib, which would ask a proxy.
*/}}
{{- define "sentinel.probe" -}}
{{- $timing := mergeOverwrite (dict "timeoutSeconds" 10) (omit .timing "enabled") -}}
{{- if .inside -}}
exec:
  command:
    - python
    - -IS
    - -c
    - |
      import http.client, sys
      asked = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=float(sys.argv[3]))
      asked.request("GET", sys.argv[2])
      status = asked.getresponse().status
      sys.exit(None if status == 200 else f"{sys.argv[2]} answers {status}")
    - {{ .port | toString | quote }}
    - {{ .path }}
    # It ends by itself before the kubelet ends it.
    - {{ sub (int $timing.timeoutSeconds) 1 | max 1 | toString | quote }}
{{- else -}}
httpGet: {path: {{ .path }}, port: http}
{{- end }}
{{ toYaml $timing }}
{{- end -}}

{{/*
The pod template: a dict of root, component, settings (values of the component), args, port, environment,
loopback (whether the port is open inside the pod only), before (args of a command that must end well first).
*/}}
{{- define "sentinel.pod" -}}
{{- $values := .root.Values -}}
metadata:
  labels:
    {{- include "sentinel.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  annotations:
    checksum/config: {{ toYaml $values.config | sha256sum }}
    {{- with .settings.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "sentinel.serviceAccountName" .root }}
  automountServiceAccountToken: false
  # Service links would add SENTINEL_… variables, which are read as settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .settings.terminationGracePeriodSeconds }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ $values.runAsUser | int64 }}
    runAsGroup: {{ $values.runAsGroup | int64 }}
    fsGroup: {{ $values.runAsGroup | int64 }}
    seccompProfile:
      type: RuntimeDefault
  {{- if .before }}
  initContainers:
    - name: prepare
      {{- include "sentinel.container" (dict "root" .root "component" .component "settings" .settings "environment" .environment "args" .before) | nindent 6 }}
  {{- end }}
  containers:
    - name: {{ .component }}
      {{- include "sentinel.container" . | nindent 6 }}
      {{- if not .loopback }}
      ports:
        - name: http
          containerPort: {{ .port }}
          protocol: TCP
      {{- end }}
      {{- if .settings.livenessProbe.enabled }}
      livenessProbe:
        {{- include "sentinel.probe" (dict "path" "/healthz" "port" .port "inside" .loopback "timing" .settings.livenessProbe) | nindent 8 }}
      {{- end }}
      {{- if .settings.readinessProbe.enabled }}
      readinessProbe:
        {{- include "sentinel.probe" (dict "path" "/readyz" "port" .port "inside" .loopback "timing" .settings.readinessProbe) | nindent 8 }}
      {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "sentinel.fullname" .root }}
    - name: tmp
      emptyDir:
        sizeLimit: {{ $values.storage.tmpSize }}
    - name: data
      emptyDir:
        sizeLimit: {{ $values.storage.dataSize }}
    {{- range $index, $file := $values.secretFiles }}
    - name: secret-{{ $index }}
      secret:
        secretName: {{ $file.existingSecret }}
        defaultMode: 0440
    {{- end }}
  {{- with .settings.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .settings.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- /*
The settings of the workbench's Service as YAML, complete: values reused from a chart before have none.
*/ -}}
{{- define "sentinel.workbenchService" -}}
{{- $none := dict "enabled" false "signIn" "tokens" "port" 80 -}}
{{- mergeOverwrite $none (.Values.workbench.service | default dict) | toYaml }}
{{- end }}
