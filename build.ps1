# Starts the build engine, which does everything: .\build.ps1 --help
$ErrorActionPreference = 'Stop'
& python (Join-Path $PSScriptRoot 'eng/build.py') @args
exit $LASTEXITCODE
